"""Columns that name people: each class of the HIPAA Safe Harbor rule, by content or by name."""

import polars as pl
import pytest

from shared import ROOT, needs_shared
from shoal.core.schema import Schema
from shoal.io.frames import from_frame
from shoal.io.opening import open_source
from shoal.io.source import reading
from shoal.workflow.direct_identifiers import HIPAA, find_direct_identifiers

N = 60
FIRST = ["Anna", "Ben", "Chloé", "Diego", "Emre", "Fatima", "Günther", "Hana", "Igor", "Jo-Ann"]
LAST = ["Abel", "O'Neil", "Çelik", "Dubois", "Eriksen", "Fischer"]


def _iban(i):
    body = f"{37040044:08d}{532013000 + i:010d}"
    return f"DE{98 - int(body + '131400') % 97:02d}{body}"


def _card(i):
    body = f"411111{i:09d}"
    digits = [int(c) for c in reversed(body)]
    total = sum(sum(divmod(2 * d, 10)) for d in digits[::2]) + sum(digits[1::2])
    return body + str(-total % 10)


def _vin(i):
    value = dict(zip("ABCDEFGHJKLMNPRSTUVWXYZ", map(int, "12345678123457923456789"), strict=True))
    text = f"1HGCM82630A{i:06d}"
    weights = (8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2)
    total = sum(w * (int(c) if c.isdigit() else value[c]) for w, c in zip(weights, text, strict=True))
    return text[:8] + "0123456789X"[total % 11] + text[9:]


# Class, the column's name where it must tell, and its cells.
CASES = [
    ("A", "c1", [f"{FIRST[i % 10]} {LAST[i // 10]}" for i in range(N)]),
    ("A", "c1", [f"{LAST[i // 10]}, {FIRST[i % 10]}" for i in range(N)]),
    ("A", "surname", [f"name{i}" for i in range(N)]),
    ("B", "home address", [f"{i} Main St" for i in range(N)]),
    ("B", "zip", [f"{10000 + i}" for i in range(N)]),
    ("B", "county", ["Suffolk", "Essex", "Norfolk"] * 20),
    ("B", "c1", [f"52.{5000 + i}, 13.{3000 + i}" for i in range(N)]),
    ("C", "c1", [f"2020-03-{1 + i % 28:02d}" for i in range(N)]),
    ("C", "c1", [f"{1 + i % 28}.3.2020" for i in range(N)]),
    ("C", "c1", [f"3/{1 + i % 28}/2020" for i in range(N)]),
    ("C", "c1", [f"{1 + i % 28} March 2020" for i in range(N)]),
    ("C", "c1", [f"Mar {1 + i % 28}, 2020" for i in range(N)]),
    ("C", "c1", [f"2020-03-{1 + i % 28:02d}T10:00:00Z" for i in range(N)]),
    ("C", "age", [str(40 + i) for i in range(N)]),
    ("D", "c1", [f"+49 30 1234{i:02d}" for i in range(N)]),
    ("D", "c1", [f"(617) 555-01{i:02d}" for i in range(N)]),
    ("E", "fax", [f"55501{i:02d}" for i in range(N)]),
    ("F", "c1", [f"person{i}@example.org" for i in range(N)]),
    ("G", "c1", [f"123-45-67{i:02d}" for i in range(N)]),
    ("H", "MRN", [f"M{i:05d}" for i in range(N)]),
    ("I", "beneficiary_id", [f"{i:09d}" for i in range(N)]),
    ("J", "c1", [_iban(i) for i in range(N)]),
    ("J", "c1", [_card(i) for i in range(N)]),
    ("K", "driver license", [f"D{i:07d}" for i in range(N)]),
    ("L", "c1", [_vin(i) for i in range(N)]),
    ("L", "license_plate", [f"B-XY {i}" for i in range(N)]),
    ("M", "device_serial", [f"S{i:07d}" for i in range(N)]),
    ("M", "c1", [f"00:00:5e:00:53:{i:02x}" for i in range(N)]),
    ("N", "c1", [f"https://example.org/{i}" for i in range(N)]),
    ("O", "c1", [f"192.0.2.{i}" for i in range(N)]),
    ("O", "c1", [f"2001:db8::{i:x}" for i in range(N)]),
    ("P", "fingerprint", [f"f{i}" for i in range(N)]),
    ("Q", "photo", [f"{i}.jpg" for i in range(N)]),
    ("R", "c1", [f"the patient came on day {i} and felt well" for i in range(N)]),
    ("R", "c1", [f"well, call 555-01{i:02d}" for i in range(N)]),
    ("R", "case_id", [f"C{i}" for i in range(N)]),
    ("R", "c1", [f"1d604da9-9a81-4ba9-80c2-de3375d59b{i:02d}" for i in range(N)]),
]


@pytest.mark.parametrize(
    ("letter", "name", "cells"), CASES, ids=lambda case: case if isinstance(case, str) else ""
)
def test_each_class_of_the_rule_is_found(letter, name, cells):
    with from_frame(pl.DataFrame({name: cells})) as source:
        (found,) = find_direct_identifiers(source, Schema(insensitive=[name]))
    assert found.hipaa == letter
    assert found.column == name
    assert not any(cell in found.what for cell in cells if not cell.isdigit())


def test_every_letter_of_the_rule_has_a_case():
    assert {case[0] for case in CASES} == set(HIPAA.values()) == set("ABCDEFGHIJKLMNOPQR")


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("occupation", ["Exec managerial", "Craft repair", "Tech support"] * 20),
        ("c1", [f"household with {i} children and no car" for i in range(40)] * 50),
        ("age", [str(20 + i) for i in range(N)]),
        ("year", [str(1950 + i) for i in range(N)]),
        ("c1", [f"{i / 7:.3f}" for i in range(N)]),
        ("native-country", ["Mexico", "Cuba", "Canada"] * 20),
        ("income", [str(10_000 + 137 * i) for i in range(N)]),
        ("c1", [f"E{10 + i % 10}.{i % 7}" for i in range(N)]),
    ],
)
def test_what_names_nobody_is_not_suspected(name, cells):
    with from_frame(pl.DataFrame({name: cells})) as source:
        assert find_direct_identifiers(source, Schema(insensitive=[name])) == ()


REAL = {
    "adult-uci/adult_full.parquet": set(),
    "arx-adult/adult.csv": set(),
    "cahousing/cahousing.csv": {"ID", "longitude", "latitude"},
    "census-income-kdd/census_income_test.parquet": set(),
    "diabetes130/diabetic_data.parquet": {"encounter_id", "patient_nbr"},
    "genetic-benchmark/creditcard_int.parquet": set(),
    "nist-acs-ma2019/ma2019.csv": {"PUMA"},
    "sdcmicro/CASCrefmicrodata.csv": set(),
    "sdcmicro/Tarragona.csv": set(),
    "sdcmicro/francdat.csv": set(),
    "sdcmicro/free1.csv": set(),
    "sdcmicro/testdata.csv": set(),
    "synthea/conditions.parquet": {"START", "STOP", "PATIENT", "ENCOUNTER"},
    "synthea/patients.csv": {
        *("Id", "BIRTHDATE", "DEATHDATE", "SSN", "DRIVERS", "PASSPORT", "FIRST", "LAST", "MAIDEN"),
        *("ADDRESS", "CITY", "COUNTY", "ZIP", "LAT", "LON", "BIRTHPLACE"),
    },
}


@needs_shared
@pytest.mark.parametrize("name", REAL)
def test_real_tables_have_few_suspects_and_miss_none(name):
    with open_source(ROOT / "data" / name) as source, reading(source):
        found = find_direct_identifiers(source, Schema())
    assert {one.column for one in found} == REAL[name]
