"""Results in the shape of the workflow's, for tests of what the commands make of them."""

from __future__ import annotations

RISK = {"highest": 0.2, "average": 0.1, "uniques": 0, "n_classes": 3, "smallest": 5, "by_people": False}
VERDICTS = [
    {
        "model": "k-anonymity",
        "columns": [],
        "satisfied": True,
        "required": 5,
        "achieved": 5,
        "violating_classes": 0,
        "violating_rows": 0,
        "figures": {},
    },
    {
        "model": "t-closeness",
        "columns": ["disease"],
        "satisfied": True,
        "required": 0.2,
        "achieved": 0.125,
        "violating_classes": 0,
        "violating_rows": 0,
        "figures": {},
    },
]
FAILED = [{**VERDICTS[0], "satisfied": False, "achieved": 1, "violating_classes": 2, "violating_rows": 3}]
RELEASE = {
    "out": "out.csv",
    "kind": "boxes",
    "rows": 12345,
    "published": 12345,
    "withheld": 0,
    "promises": [],
    "link": None,
    "verdicts": VERDICTS,
    "loss": 0.2345,
    "losses": {"ncp": 0.2345, "discernibility": 12345678.0, "average-class-size": float("nan")},
    "risk_before": {**RISK, "highest": 1.0, "average": 0.4567, "uniques": 1234, "n_classes": 5000},
    "risk_after": RISK,
    "residue": {"rows": 12, "as_class": True, "as_suppressed": True},
    "suppressed": 12,
    "columns": [
        {"name": "name", "role": "identifier", "type": None, "action": "dropped"},
        {
            "name": "age",
            "role": "quasi-identifier",
            "type": "integer",
            "action": "generalized",
            "loss": 0.21,
            "unchanged": 0.0,
            "labels": "nodes",
            "level": 2,
            "levels": 5,
        },
        {
            "name": "sex",
            "role": "quasi-identifier",
            "type": "text",
            "action": "kept",
            "loss": 0.0,
            "unchanged": 1.0,
            "labels": "nodes",
            "level": 0,
            "levels": 2,
        },
        {"name": "disease", "role": "sensitive", "type": None, "action": "kept"},
        {"name": "note", "role": None, "type": None, "action": "dropped"},
    ],
    "algorithm": "optimal",
    "optimal": True,
    "statistics": {},
    "warnings": ["1 column(s) have no role and are not published: note"],
}
AUDIT = {
    "satisfied": False,
    "rows": 100,
    "people": None,
    "classes": 50,
    "suppressed": 2,
    "verdicts": FAILED,
    "verdicts_with_suppressed": FAILED,
    "risk": {**RISK, "highest": 1.0, "average": 0.5, "uniques": 20, "n_classes": 50},
    "risk_with_suppressed": {**RISK, "highest": 1.0, "average": 0.5, "uniques": 20, "n_classes": 51},
    "smallest_class_by_reading_of_missing_cells": {"own": 1, "wildcard": 2, "conservative": 1},
    "alone_by_reading_of_missing_cells": {"own": 20, "wildcard": 18, "conservative": 19},
    "alone": 20,
    "proposed": False,
    "roles": {"quasi-identifier": ["age"]},
    "population_risk": {"highest": 0.5, "average": 0.1, "expected": 10.0, "smallest": 2, "uniques": 0},
    "survey_risk": {
        "highest": 0.05,
        "global_risk": 0.01,
        "expected": 1.2,
        "population": 9_000.0,
        "threshold": 0.2,
        "share_above": 0.0,
    },
    "household_risk": {
        "grouped_by": "household",
        "by": "weights",
        "highest": 0.3,
        "average": 0.1,
        "expected": 10.0,
        "threshold": 0.2,
        "share_above": 0.1,
    },
    "population_uniqueness": {
        "pitman": 0.01,
        "zayatz": 0.02,
        "snb": None,
        "poisson": 0.01,
        "chosen": 0.01,
        "method": "pitman",
    },
    "special_uniques": {
        "m": 1,
        "complete": True,
        "minimal_uniques_by_size": [7],
        "records": 7,
        "dis": None,
        "highest_dis": None,
        "contributions": {"age": 1.0},
        "column_sets": [{"columns": ["age"], "records": 7}],
    },
    "column_sets": [],
    "sensitive": [
        {"name": "disease", "known": 5, "known_share": 0.05, "guessed": 0.6, "guessed_without": 0.2},
    ],
    "direct_identifiers": [
        {
            "column": "mail",
            "what": "e-mail addresses",
            "hipaa": "F",
            "by": "content",
            "role": None,
            "published": False,
        },
    ],
    "columns": [
        {
            "name": "age",
            "distinct": 40,
            "missing": 3,
            "alone_because_of_it": 7,
            "suda_contribution": 1.0,
            "distinction": 0.4,
            "separation": 0.9,
        },
    ],
    "sentences": ["20 of 100 records (20.0%) stand alone: nobody else has the same values in age."],
}
VERIFICATION = {
    "satisfied": False,
    "rows": 100,
    "classes": 4,
    "verdicts": FAILED,
    "residue": {"rows": 9, "as_class": True, "as_suppressed": False, "verdicts": []},
    "risk": RISK,
    "notes": ["rows were counted: a published table does not say which rows are of one person"],
}


class Result:
    """Has what the commands read of a result."""

    def __init__(self, data):
        self.data = data

    @property
    def satisfied(self):
        return self.data["satisfied"]

    def as_dict(self):
        return self.data
