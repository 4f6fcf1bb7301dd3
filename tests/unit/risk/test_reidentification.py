"""Re-identification risk of hand-made classes."""

import json

import pytest

from shoal.core.classes import Classes
from shoal.errors import SpecError
from shoal.risk.reidentification import risk_of


def test_figures_of_three_classes():
    risk = risk_of(Classes.from_counts([1, 4, 5]))
    assert risk.highest == 1.0
    assert risk.average == 3 / 10
    assert risk.uniques == 1
    assert risk.smallest == 1
    assert (risk.mean_class_size, risk.median_class_size) == (10 / 3, 4.0)


def test_the_threshold_itself_is_no_risk():
    # 1/5 is not above 0.2; 1/4 is.
    assert risk_of(Classes.from_counts([1, 4, 5]), threshold=0.2).share_above == 5 / 10
    assert risk_of(Classes.from_counts([1, 4, 5]), threshold="1/3").share_above == 1 / 10
    assert risk_of(Classes.from_counts([1, 4, 5]), threshold=0).share_above == 1.0
    assert risk_of(Classes.from_counts([1, 4, 5]), threshold=1).share_above == 0.0


def test_no_classes_give_plain_data_without_figures():
    risk = risk_of(Classes.from_counts([]), suppressed_rows=3)
    assert (risk.highest, risk.average, risk.smallest, risk.n_classes) == (None, None, None, 0)
    assert json.loads(json.dumps(risk.as_dict(), allow_nan=False))["suppressed_rows"] == 3


def test_suppressed_people_and_not_rows_form_the_class_of_people():
    classes = Classes.from_counts([4])
    with pytest.raises(SpecError, match="suppressed people"):
        risk_of(classes, suppressed_rows=6, reading="class", by_people=True)
    risk = risk_of(classes, suppressed_rows=6, suppressed_people=1, reading="class", by_people=True)
    assert risk.highest == 1.0


@pytest.mark.parametrize("settings", [{"reading": "all"}, {"threshold": 2}, {"threshold": "x"}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(SpecError):
        risk_of(Classes.from_counts([1]), **settings)
