"""The invented world of the example tables: its texts and how often they occur.

Nothing here is taken from a real table. Country codes are those of ISO 3166-1 and diagnosis codes have the shape
of ICD-10; every weight is made up.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "DIAGNOSES",
    "EDUCATION",
    "INSURANCE",
    "MARITAL_STATUS",
    "NATIONALITY",
    "SEX",
    "Choice",
    "Diagnosis",
    "family_names",
    "given_names",
    "postcodes",
]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """Texts with the chance of each.

    Parameters
    ----------
    texts : tuple of str
    chances : float64 [n_texts]
        In [0, 1], adding up to 1.
    """

    texts: tuple[str, ...]
    chances: NDArray[np.float64]

    @classmethod
    def weighted(cls, **weights: float) -> Choice:
        """Return the choice whose chances are proportional to *weights*; ``_`` in a name is a blank."""
        total = np.array(list(weights.values()), np.float64)
        return cls(tuple(name.replace("_", " ") for name in weights), total / total.sum())

    def code(self, text: str) -> int:
        """Return the place of a text."""
        return self.texts.index(text)


SEX = Choice.weighted(female=51.2, male=48.4, diverse=0.4)

EDUCATION = Choice.weighted(
    none=4, primary=9, lower_secondary=17, upper_secondary=19, vocational=27, bachelor=12, master=10, doctorate=2
)
"""In ascending order."""

MARITAL_STATUS = Choice.weighted(
    single=30, married=46, registered_partnership=2, separated=4, divorced=10, widowed=8
)

INSURANCE = Choice.weighted(
    statutory=66, family=10, student=4, state_assistance=7, private=11, supplementary=1, self_payer=1
)

NATIONALITY = Choice.weighted(
    DE=800, TR=32, PL=24, SY=20, RO=17, IT=14, UA=13, HR=9, BG=8, GR=8, AF=7, RU=6, XK=5, RS=5, IQ=5, AT=4.5,
    NL=4, FR=4, ES=4, IN=4, HU=3.5, US=3, CN=3, VN=2.5, GB=2.5, PT=2.5, IR=2.5, MA=2, NG=1.6, GH=1.2, ER=1.2,
    BR=1.1, JP=0.7, TH=0.7, CO=0.5, CA=0.5, KE=0.4, AU=0.3, CL=0.2, NA=0.15, NZ=0.1,
)  # fmt: skip
"""One very common value and a long tail. ``NA`` is Namibia: a reader that takes it for "missing" is caught."""


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A diagnosis code, who gets it and what it costs.

    Parameters
    ----------
    code : str
        Letter and two digits.
    by_age : tuple of float
        Weight at ages 0-14, 15-39, 40-64 and 65 and above.
    women : float
        Factor on the weight for women; 1 where sex plays no part, 0 where it cannot occur.
    men : float
        Factor on the weight for men.
    cost : float
        Median cost of a visit.
    """

    code: str
    by_age: tuple[float, float, float, float]
    women: float
    men: float
    cost: float


def _lines(table: str) -> tuple[Diagnosis, ...]:
    found = []
    for line in table.strip().splitlines():
        code, child, young, middle, old, women, men, cost = line.split()
        ages = (float(child), float(young), float(middle), float(old))
        found.append(Diagnosis(code, ages, float(women), float(men), float(cost)))
    return tuple(found)


DIAGNOSES = _lines("""
A08 9 4 2 2 1 1 410
A09 8 5 3 3 1 1 430
A41 1 1 3 7 1 1.1 5200
B20 0.02 1.2 1 0.1 0.4 1.5 2900
B34 9 4 2 1 1 1 320
C18 0 0.2 3 6 0.9 1.1 9800
C34 0 0.1 4 7 0.8 1.3 10400
C50 0 0.6 6 6 1 0.01 8700
C61 0 0 3 8 0 1 7600
C92 0.4 0.4 0.8 1.5 0.9 1.1 15900
D50 1 3 2 4 1.6 0.7 890
D64 1 1 2 5 1.1 0.9 1250
E03 0.2 1 2 2 2.5 0.5 360
E10 2 2 1 0.5 0.9 1.1 2100
E11 0.02 1 8 12 0.9 1.1 1850
E66 0.4 2 3 1 1.3 0.7 2400
E86 3 1 2 8 1.1 0.9 1300
F10 0 4 6 2 0.4 1.6 2300
F20 0 3 2 0.5 0.9 1.1 4100
F32 0.4 5 6 3 1.6 0.7 3300
F41 0.4 4 3 1 1.5 0.7 980
F84 1.5 0.5 0.1 0 0.4 1.6 1900
G20 0 0.02 1 5 0.8 1.2 3900
G35 0 1.2 1.2 0.2 1.8 0.6 3400
G40 3 2 2 3 0.9 1.1 2200
G43 0.6 3 2 0.4 2.2 0.5 610
H25 0 0.02 2 9 1.1 0.9 1150
H66 8 0.5 0.3 0.2 1 1 290
I10 0 2 9 12 1 1 520
I21 0 0.3 5 8 0.6 1.5 6900
I25 0 0.2 6 12 0.6 1.4 3600
I48 0 0.2 3 12 0.9 1.1 2450
I50 0 0.2 4 15 1 1 4300
I63 0 0.3 3 11 1 1 6100
J06 14 5 3 2 1 1 260
J18 5 2 4 10 0.9 1.1 2700
J20 7 2 2 3 1 1 380
J35 9 2 0.1 0 1 1 1400
J44 0 0.2 5 9 0.9 1.1 2950
J45 4 3 2 1 1.1 0.9 870
K21 1 2 3 3 1 1 640
K35 4 4 1 0.5 0.9 1.1 3700
K40 2 2 4 4 0.2 1.8 2600
K57 0 0.5 4 6 1.1 0.9 2350
K80 0.1 3 6 5 1.6 0.7 3500
L20 5 1 0.5 0.3 1 1 340
L40 0.3 1.5 2 1 0.9 1.1 790
M16 0 0.1 4 9 1.2 0.8 7400
M17 0 0.2 5 9 1.3 0.7 7100
M51 0.1 4 8 3 0.9 1.1 3100
M54 0.4 7 9 5 1.1 0.9 560
N18 0.1 0.6 3 8 0.9 1.1 3800
N20 0.1 3 5 2 0.6 1.4 2050
N39 2 3 3 8 1.8 0.5 740
N40 0 0 3 8 0 1 2500
O80 0 22 0.2 0 1 0 2900
O82 0 9 0.1 0 1 0 4400
P07 3 0 0 0 1 1 18200
Q21 1.5 0.2 0.1 0 1 1 11800
R07 0.6 3 4 4 1 1 690
R10 5 5 3 3 1.2 0.8 540
S06 8 4 2 4 0.8 1.2 1200
S52 9 3 3 4 1 1 1650
S72 0.3 0.4 1 11 1.5 0.6 8200
T78 4 2 1 0.6 1 1 310
Z38 12 0 0 0 1 1 1500
""")
"""Sixty-odd codes with the shape of ICD-10."""

_REGIONS = 24
_DISTRICTS = 10


@cache
def postcodes() -> Choice:
    """Return five-digit postcodes of regions (two digits), districts (three) and post offices.

    Codes may start with zero. The largest region holds about a quarter of the people; the smallest post office
    a few in a hundred thousand.

    Examples
    --------
    >>> all(len(code) == 5 for code in postcodes().texts), min(postcodes().texts)[0]
    (True, '0')
    """
    texts, weights = [], []
    for region in range(_REGIONS):
        of_region = 1 / (region + 1)
        for district in range(_DISTRICTS if region < _REGIONS // 2 else _DISTRICTS // 2):
            of_district = of_region / (district + 1) ** 0.7
            offices = max(2, 12 - region // 3 - district // 2)
            for office in range(offices):
                texts.append(
                    f"{(region * 37 + 4) % 99 + 1:02d}{(district * 7 + region) % 10}{office * 7 % 97:02d}"
                )
                weights.append(of_district / (offices * (1 + office) ** 0.4))
    chances = np.array(weights, np.float64)
    return Choice(tuple(texts), chances / chances.sum())


_ONSETS = ("B", "Br", "D", "Dr", "F", "G", "H", "J", "K", "L", "M", "N", "P", "R", "S", "T", "V", "W", "Z")
_VOWELS = ("a", "e", "i", "o", "u", "ai", "eo")
_MIDDLES = ("l", "m", "n", "r", "v", "ld", "nt", "sk")


@cache
def given_names() -> tuple[str, ...]:
    """Return some hundred invented given names."""
    return tuple(
        f"{onset}{vowel}{middle}o" for onset in _ONSETS for vowel in _VOWELS[:5] for middle in _MIDDLES[:5]
    )


@cache
def family_names() -> tuple[str, ...]:
    """Return some thousand invented family names."""
    return tuple(
        f"{onset}{vowel}{middle}{end}"
        for onset in _ONSETS
        for vowel in _VOWELS
        for middle in _MIDDLES
        for end in ("er", "ov")
    )
