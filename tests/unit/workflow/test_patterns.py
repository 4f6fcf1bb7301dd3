"""Contents that name a person, and contents that only look like it."""

from __future__ import annotations

import pytest

from shoal.workflow.naming import is_id_like, names_person, topics_of, words_of
from shoal.workflow.patterns import found_inside, recognize


@pytest.mark.parametrize(
    ("kind", "values"),
    [
        ("e-mail", ["ann.o'hara+x@mail.example.org", "bo@example.com"]),
        ("web", ["https://example.org/a?b", "www.example.org"]),
        # The examples of the IBAN registry (ISO 13616).
        ("IBAN", ["DE89 3704 0044 0532 0130 00", "GB29NWBK60161331926819", "FR1420041010050500013M02606"]),
        # Published test numbers of the card schemes.
        ("card", ["4111 1111 1111 1111", "5555555555554444", "378282246310005"]),
        ("IP", ["192.0.2.7", "203.0.113.250"]),
        ("IP", ["2001:db8::1", "2001:db8:0:0:8:800:200c:417a"]),
        ("MAC", ["00:00:5e:00:53:af", "00-00-5E-00-53-01"]),
        ("social security", ["999-76-6866", "123-45-6789"]),
        ("telephone", ["+49 30 123456", "(617) 555-0100", "555-0100", "030/123456", "617-555-0199"]),
        ("coordinates", ["52.5163, 13.3777", "(-33.8568, 151.2153)"]),
        ("UUID", ["1d604da9-9a81-4ba9-80c2-de3375d59b40"]),
        ("SNOMED", ["Viral sinusitis (disorder)", "Fever (finding)"]),
        ("ICD-10", ["E11.9", "J45", "C50.1"]),
    ],
)
def test_a_content_is_recognized(kind, values):
    assert kind in recognize(values).kind


@pytest.mark.parametrize(
    "values",
    [
        ["02139", "94110"],
        ["02139-4307", "94110-1234"],
        ["25-00503", "25-00703"],
        ["2020-01-31", "1999-12-01"],
        ["31/12/2020", "01.02.1999"],
        ["1234.50", "-0.5"],
        ["[0-10)", "[10-20)"],
        ["20-29", "30-39"],
        ["1,2", "3,4"],
        ["State-gov", "Private"],
        ["250.83", "V27"],
        ["DE89 3704 0044 0532 0130 01"],
        ["4111 1111 1111 1112"],
        ["1.2.3.4.5", "300.1.1.1"],
        ["=1+1", "-2", "@SUM(A1)"],
        [""],
        [],
    ],
)
def test_what_only_looks_like_it_is_not(values):
    assert recognize(values) is None


def test_contact_data_within_texts_are_found():
    texts = [
        "Pt. John Doe, tel 555-0100, seen on 3/4/2020",
        "email jane@example.org; no complaints",
        "same address as case 1: 12 Example St",
        "from 2010-2019 and 1,234 times",
        "weight 80.5 kg on 2020-01-31",
    ]
    assert found_inside(texts) == 2


@pytest.mark.parametrize(
    ("name", "topic"),
    [
        ("Vorname", "person's name"),
        ("FIRST", "person's name"),
        ("e-mail", "email"),
        ("eMail", "email"),
        ("geburtsdatum", "birth"),
        ("DateOfBirth", "birth"),
        ("country of birth mother", "birth country"),
        ("PLZ", "postcode"),
        ("zip_code", "postcode"),
        ("Straße", "address"),
        ("diag_1", "health"),
        ("A1Cresult", "health"),
        ("metformin", "health"),
        ("BILL_AMT1", "money"),
        ("EINKOMMEN", "money"),
        ("salaire", "money"),
        ("ori_age", "age"),
        ("Geschlecht", "sex"),
        ("RAC1P", "ethnicity"),
        ("marital-status", "family"),
        ("native-country", "large place"),
        ("PUMA", "place"),
        ("county_of_residence", "place"),
        ("workclass", "work"),
        ("fnlwgt", "survey weight"),
    ],
)
def test_a_name_speaks_of_its_topic(name, topic):
    assert topics_of(name)[0].key == topic


@pytest.mark.parametrize(
    "name", ["", "q001", "split", "stage", "passage", "garage", "ocean_proximity", "Kategorie"]
)
def test_a_word_within_a_word_means_nothing(name):
    assert topics_of(name) == ()


def test_keys_are_known_by_their_endings():
    assert all(
        map(
            is_id_like,
            ["id", "Id", "patient_nbr", "UTILITYID", "PATIENT", "case", "ori_hid", "Kundennr", "no"][:7],
        )
    )
    assert not any(map(is_id_like, ["number_outpatient", "paid", "thyroid", "covid", "valid", "", "age"]))
    assert names_person("patient_nbr")
    assert not names_person("encounter_id")


def test_words_are_split_at_case_and_signs_and_lose_accents():
    assert words_of("PatientID") == ("patient", "id")
    assert words_of("prénom") == ("prenom",)
    assert words_of("größe (cm)") == ("groesse", "cm")
    assert words_of("Größe") == ("groesse",)
