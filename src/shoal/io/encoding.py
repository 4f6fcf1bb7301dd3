"""From bytes to UTF-8, without ever putting a replacement character in."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from shoal.errors import InputError, SpecError

__all__ = ["check_utf8", "detect_bom", "known_encoding", "reading_file", "transcode", "undecodable"]

_CHUNK = 1 << 22

# The longer mark first: that of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CONTAINERS = (
    (b"\x1f\x8b", "compressed with gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd"),
    (b"PK\x03\x04", "a zip archive or a spreadsheet"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
)


@contextmanager
def reading_file(name: str) -> Iterator[None]:
    """Turn what the operating system says of a file into an input error that names the file."""
    try:
        yield
    except FileNotFoundError:
        raise InputError("the file does not exist", where=name, fix="check the path") from None
    except IsADirectoryError:
        raise InputError("the path is a folder, not a file", where=name, fix="name a file in it") from None
    except PermissionError:
        raise InputError("the file may not be read", where=name, fix="check its permissions") from None
    except OSError as error:
        raise InputError(f"the file cannot be read ({error.strerror})", where=name) from None


def detect_bom(head: bytes, *, name: str) -> str | None:
    """Return the encoding that a byte order mark names.

    Raises
    ------
    InputError
        If the bytes are those of another kind of file.
    """
    for magic, kind in _CONTAINERS:
        if head.startswith(magic):
            raise InputError(f"the file is {kind}, not text", where=name, fix="unpack or export it first")
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    return None


def known_encoding(name: str) -> str:
    """Return the codec's own name, such as ``"iso8859-1"`` for ``"latin-1"``.

    Raises
    ------
    SpecError
        If no such encoding is known.
    """
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        info = None
    # Some codecs, such as base64, are no text encodings.
    if info is None or not getattr(info, "_is_text_encoding", True):
        raise SpecError(f"unknown encoding {name!r}", fix='such as encoding = "utf-8", "latin-1" or "cp1252"')
    return info.name


def transcode(source: Path, target: Path, *, encoding: str, name: str) -> None:
    """Write the text of one file into another as UTF-8, a few megabytes at a time.

    Raises
    ------
    InputError
        If a byte does not belong to the encoding; it names the byte's offset.
    """
    decoder = codecs.getincrementaldecoder(encoding)("strict")
    with source.open("rb") as read, target.open("wb") as write:
        for text in _decoded(read, decoder, encoding=encoding, name=name):
            write.write(text.encode())


def check_utf8(path: Path, *, name: str) -> None:
    """Check that a file is UTF-8 to its end.

    Raises
    ------
    InputError
        If a byte is not; it names the byte's offset and a likely encoding.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("strict")
    with reading_file(name), path.open("rb") as read:
        for _ in _decoded(read, decoder, encoding="utf-8", name=name):
            pass


def _decoded(read: object, decoder: codecs.IncrementalDecoder, *, encoding: str, name: str) -> Iterator[str]:
    offset = 0
    while True:
        chunk: bytes = read.read(_CHUNK)  # type: ignore[attr-defined]
        pending = len(decoder.getstate()[0])
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            # The error itself holds the bytes of the file, so it goes no further.
            at = offset - pending + error.start
            wrong = error.object[error.start : error.start + 4096]
        except UnicodeError:
            at, wrong = offset, b""
        else:
            offset += len(chunk)
            yield text
            if not chunk:
                return
            continue
        raise undecodable(encoding, offset=at, wrong=wrong, name=name)


def undecodable(encoding: str, *, offset: int, wrong: bytes, name: str) -> InputError:
    """Return the error for a byte that does not belong to the encoding."""
    # Latin-1 has control characters where Windows has letters, so such a byte speaks for Windows.
    guess = "cp1252" if any(0x80 <= byte <= 0x9F for byte in wrong) else "latin-1"
    fix = f'declare the right one, such as encoding = "{guess}"'
    return InputError(f"the file is not {encoding}", where=f"byte {offset} of {name}", fix=fix)
