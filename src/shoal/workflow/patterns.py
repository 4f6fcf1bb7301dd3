"""Contents that name a person by themselves: e-mail addresses, telephone numbers, account numbers, ...

A pattern says what a text looks like, not what it is. The proposal asks for most cells of a column to match before
it believes one; numbers with a check digit (IBAN, cards) need few.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["CONTENTS", "Content", "found_inside", "recognize"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """One kind of content.

    Parameters
    ----------
    kind : str
        What the texts are, in the plural, for a reason.
    matches : callable of str to bool
        Whether a whole text is one.
    share : float
        Share of a column's values that must match, in (0, 1].
    role : str
        ``"identifier"``, ``"unit"`` (an identifier that may stand for a person over several rows) or
        ``"sensitive"``.
    """

    kind: str
    matches: Callable[[str], bool]
    share: float = 0.5
    role: str = "identifier"


def _whole(pattern: str) -> Callable[[str], bool]:
    compiled = re.compile(pattern)
    return lambda text: compiled.fullmatch(text) is not None


EMAIL = r"[\w.+'-]+@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}"
URL = r"(https?|ftp)://\S+|www\.\S+\.\S+"
# An international number; a national one with its leading 0 or brackets; the North American shapes.
PHONE = (
    r"\+[0-9][0-9 ()./-]{5,18}[0-9]"
    r"|(\(0?[0-9]{2,5}\)|0[0-9]{1,5})[ /.-]+[0-9][0-9 .-]{3,12}[0-9]"
    r"|(1[ .-])?(\([0-9]{3}\) ?|[0-9]{3}[ .-])?[0-9]{3}[.-][0-9]{4}"
)
SOCIAL_SECURITY = r"(?!000)[0-9]{3}-(?!00)[0-9]{2}-(?!0000)[0-9]{4}"
UUID = r"\{?[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\}?"
MAC = r"[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}"
COORDINATES = r"[([]?-?[0-9]{1,2}\.[0-9]{3,},\s*-?[0-9]{1,3}\.[0-9]{3,}[)\]]?"
ICD_10 = r"[A-TV-Za-tv-z][0-9][0-9A-Za-z](\.[0-9A-Za-z]{1,4})?"
SNOMED = r".+ \((disorder|finding|morphologic abnormality|situation|event|procedure|clinical drug)\)"

_inside = re.compile(rf"(?<!\w)({EMAIL}|{URL}|{SOCIAL_SECURITY}|{PHONE})(?!\w)")


def _is_iban(text: str) -> bool:
    compact = re.sub(r"[ -]", "", text).upper()
    if not re.fullmatch(r"[A-Z]{2}[0-9]{2}[0-9A-Z]{11,30}", compact):
        return False
    # ISO 13616: country and check digits go last, letters count from 10, and the number is 1 modulo 97.
    return int("".join(str(int(c, 36)) for c in compact[4:] + compact[:4])) % 97 == 1


def _is_card(text: str) -> bool:
    compact = re.sub(r"[ -]", "", text)
    if not re.fullmatch(r"[2-6][0-9]{12,18}", compact):
        return False
    # ISO/IEC 7812: every second digit from the right is doubled, its digits added, and the sum ends in 0.
    digits = [int(c) for c in reversed(compact)]
    return sum(digits[::2] + [sum(divmod(2 * d, 10)) for d in digits[1::2]]) % 10 == 0


def _is_vin(text: str) -> bool:
    if not re.fullmatch(r"[0-9A-HJ-NPR-Z]{17}", text.upper()):
        return False
    # ISO 3779 and 49 CFR 565: letters stand for digits, the ninth sign is their weighted sum modulo 11.
    value = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True))
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    total = sum(w * (int(c) if c.isdigit() else value[c]) for w, c in zip(weights, text.upper(), strict=True))
    return "0123456789X"[total % 11] == text[8].upper()


def _is_ip(text: str) -> bool:
    if text.count(".") != 3 and text.count(":") < 2:
        return False
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


CONTENTS: tuple[Content, ...] = (
    Content(kind="e-mail addresses", matches=_whole(EMAIL)),
    Content(kind="web addresses", matches=_whole(URL)),
    Content(kind="IBAN account numbers with a right checksum", matches=_is_iban, share=0.3),
    Content(kind="payment card numbers with a right check digit", matches=_is_card, share=0.8),
    Content(kind="vehicle identification numbers with a right check digit", matches=_is_vin, share=0.8),
    Content(kind="IP addresses", matches=_is_ip, share=0.8),
    Content(kind="hardware (MAC) addresses", matches=_whole(MAC)),
    Content(kind="social security numbers", matches=_whole(SOCIAL_SECURITY)),
    Content(kind="telephone numbers", matches=_whole(PHONE), share=0.7),
    Content(kind="coordinates", matches=_whole(COORDINATES)),
    Content(kind="universally unique identifiers (UUID)", matches=_whole(UUID), share=0.9, role="unit"),
    Content(kind="SNOMED CT terms", matches=_whole(SNOMED), share=0.3, role="sensitive"),
    Content(kind="ICD-10 codes", matches=_whole(ICD_10), share=0.95, role="sensitive"),
)
"""Every kind that is looked for, the surest first."""


def recognize(values: Sequence[str]) -> Content | None:
    """Return what a column's values are, or None.

    Parameters
    ----------
    values : sequence of str
        Distinct present texts of a column, or a sample of them.

    Examples
    --------
    >>> recognize(["ann@example.org", "bo@example.org"]).kind
    'e-mail addresses'
    >>> recognize(["25-00503", "25-00703"]) is None
    True
    """
    stripped = [value.strip() for value in values]
    if not stripped:
        return None
    for content in CONTENTS:
        if sum(map(content.matches, stripped)) >= content.share * len(stripped):
            return content
    return None


def found_inside(values: Sequence[str]) -> int:
    """Count the values that hold an e-mail or web address, a telephone or social security number within them.

    Examples
    --------
    >>> found_inside(["call 555-0100 after six", "no complaints"])
    1
    """
    return sum(_inside.search(value) is not None for value in values)
