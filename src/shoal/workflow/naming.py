"""What the name of a column suggests, in English, German, French, Spanish, Italian, Dutch and Portuguese."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

__all__ = ["TOPICS", "Topic", "is_id_like", "names_household", "names_person", "topics_of", "words_of"]


@dataclass(frozen=True, slots=True)
class Topic:
    """A subject that column names speak of.

    Parameters
    ----------
    key : str
        Its short name.
    kind : str
        ``"identifier"``, ``"sensitive"``, ``"quasi"``, ``"weight"`` or ``"text"``.
    means : str
        What the column holds, for a reason.
    words : frozenset of str
        Words, or phrases of words, any of which in the name means this.
    stems, ends : tuple of str
        Beginnings and endings of words that mean it.
    whole : frozenset of str
        Names that mean it only where nothing else stands in the name.
    """

    key: str
    kind: str
    means: str
    words: frozenset[str] = frozenset()
    stems: tuple[str, ...] = ()
    ends: tuple[str, ...] = ()
    whole: frozenset[str] = frozenset()

    def fits(self, words: tuple[str, ...]) -> bool:
        """Tell whether a name, as its words, speaks of this."""
        spaced = " ".join(words)
        # "rac1p" and "birthDate" are one word to their authors.
        tight = (*words, "".join(words))
        return (
            spaced in self.whole
            or any(word.startswith(self.stems) or word.endswith(self.ends) for word in tight)
            or any(word in tight if " " not in word else f" {word} " in f" {spaced} " for word in self.words)
        )


def _read(vocabulary: Mapping[str, Any]) -> tuple[Topic, ...]:
    return tuple(
        Topic(
            key=entry["key"],
            kind=entry["kind"],
            means=entry["means"],
            words=frozenset(entry.get("words", ())),
            stems=tuple(entry.get("stems", ())),
            ends=tuple(entry.get("ends", ())),
            whole=frozenset(entry.get("whole", ())),
        )
        for entry in vocabulary["topics"]
    )


_VOCABULARY = tomllib.loads(resources.files(__package__).joinpath("topics.toml").read_text(encoding="utf-8"))

TOPICS: tuple[Topic, ...] = _read(_VOCABULARY)
"""All topics; the first that fits a name counts."""

_PERSON = frozenset(_VOCABULARY["keys"]["person"])
_HOUSEHOLD = frozenset(_VOCABULARY["keys"]["household"])
_ID_ENDINGS = frozenset(_VOCABULARY["keys"]["endings"])
_ID_WHOLE = frozenset(_VOCABULARY["keys"]["whole"])

# Words that end in "id" and name no identifier.
_NO_ID = re.compile(
    r"(a|flu|val|pa|va|hybr|rap|sol|gr|b|k|thyro|stero|opio|lip|ac|typho|oid|cov|ma|ra|la|sa|inval|android)id$"
)


def words_of(name: str) -> tuple[str, ...]:
    """Split a column name into lower-case words without accents.

    Examples
    --------
    >>> words_of("maritalStatus"), words_of("Zip_Code (home)"), words_of("Straße")
    (('marital', 'status'), ('zip', 'code', 'home'), ('strasse',))
    """
    for umlaut, letters in (
        ("ä", "ae"),
        ("ö", "oe"),
        ("ü", "ue"),
        ("ß", "ss"),
        ("Ä", "Ae"),
        ("Ö", "Oe"),
        ("Ü", "Ue"),
    ):
        name = unicodedata.normalize("NFC", name).replace(umlaut, letters)
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return tuple(re.findall(r"[^\W_]+", spaced.lower()))


def topics_of(name: str) -> tuple[Topic, ...]:
    """Return the topics that a name speaks of, the weightiest first.

    Examples
    --------
    >>> [topic.key for topic in topics_of("date_of_birth")]
    ['birth', 'date']
    """
    words = words_of(name)
    # Numbers behind a word (diag_1, PAY_AMT3, educ2) count it, and do not change what it means.
    bare = tuple(re.sub(r"(?<=[a-z])\d+$", "", word) for word in words if not word.isdigit())
    return tuple(topic for topic in TOPICS if topic.fits(words) or topic.fits(bare))


def is_id_like(name: str) -> bool:
    """Tell whether a name is that of a key: it ends in "id", "nr", "number", ... or is "case", "index", ...

    Examples
    --------
    >>> [is_id_like(name) for name in ("patient_nbr", "UTILITYID", "number_outpatient", "paid")]
    [True, True, False, False]
    """
    words = words_of(name)
    if not words:
        return False
    last = words[-1]
    if last in _ID_ENDINGS or " ".join(words) in _ID_WHOLE or (len(words) == 1 and last in _PERSON | _HOUSEHOLD):
        return True
    if last.endswith(("nummer", "number")):
        return True
    return last.endswith("id") and len(last) > 3 and _NO_ID.search(last) is None


def names_person(name: str) -> bool:
    """Tell whether a name speaks of a person, so that a key of it stands for one.

    Examples
    --------
    >>> names_person("patient_nbr"), names_person("encounter_id")
    (True, False)
    """
    return _speaks_of(_PERSON, name)


def names_household(name: str) -> bool:
    """Tell whether a name speaks of a household, so that a key of it says who belongs together.

    Examples
    --------
    >>> names_household("ori_hid"), names_household("household_size"), names_household("patient_nbr")
    (True, True, False)
    """
    return _speaks_of(_HOUSEHOLD, name)


def _speaks_of(nouns: frozenset[str], name: str) -> bool:
    return any(word in nouns or word.removesuffix("id") in nouns for word in words_of(name))
