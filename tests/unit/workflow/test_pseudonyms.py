"""Pseudonyms: keyed, the same in every table, never with the key beside them, never called anonymous."""

import hashlib
import hmac
import json

import polars as pl
import pytest

from shoal.core.schema import Column, Role, Schema
from shoal.errors import PolicyError, ShoalWarning, SpecError
from shoal.models import KAnonymity
from shoal.report.page import account_page
from shoal.workflow import anonymize
from shoal.workflow.spec import Spec

KEY = b"0123456789abcdef-a-secret"
FRAME = pl.DataFrame(
    {"patient": ["p1", "p2", None, "p1", "p3", "p4"], "number": [1, 2, 3, 1, 5, 6], "town": ["a"] * 6}
)
ROLES = Schema(quasi_identifiers=["town"], pseudonyms=["patient"])


def published(frame=FRAME, roles=ROLES, **options):
    frame = frame.select("town", *roles.pseudonyms)
    with pytest.warns(ShoalWarning, match="not anonymous"):
        return anonymize(
            frame, roles, models=KAnonymity(k=2), keep_order=True, seed=1, pseudonym_key=KEY, **options
        )


def test_a_pseudonym_is_a_keyed_hash_and_missing_stays_missing():
    found = published().data["patient"].to_list()
    assert found == [
        None if text is None else hmac.new(KEY, text.encode(), hashlib.sha256).hexdigest()[:32]
        for text in FRAME["patient"]
    ]


def test_pseudonyms_are_the_same_across_tables_columns_and_types():
    numbers = published(roles=Schema(quasi_identifiers=["town"], pseudonyms=["number"])).data["number"]
    texts = FRAME.with_columns(pl.col("number").cast(pl.String).alias("other"))
    again = published(texts, Schema(quasi_identifiers=["town"], pseudonyms=["other"])).data["other"]
    assert numbers.to_list() == again.to_list()


def test_another_key_makes_other_pseudonyms():
    with pytest.warns(ShoalWarning, match="not anonymous"):
        other = anonymize(FRAME.drop("number"), ROLES, models=KAnonymity(k=2), seed=1, pseudonym_key=KEY + b"!")
    assert not set(other.data["patient"].drop_nulls()) & set(published().data["patient"].drop_nulls())


def test_the_key_stands_nowhere_and_the_table_is_not_called_anonymous():
    release = published()
    texts = [json.dumps(record) for record in (release.manifest, release.private, release.account())]
    texts += [account_page(release.account(external=external)) for external in (False, True)]
    for text in texts:
        assert KEY.decode() not in text
        assert hashlib.sha256(KEY).hexdigest()[:16] not in text
    assert release.manifest["anonymous"] is False
    assert release.manifest["pseudonyms"] == ["patient"]
    for external in (False, True):
        account = release.account(external=external)
        assert account["anonymous"] is False
        assert "Not anonymous" in account_page(account)


@pytest.mark.parametrize(("key", "problem"), [(None, "no key"), (b"short", "5 bytes")])
def test_a_missing_or_weak_key_is_refused(key, problem):
    with pytest.raises(SpecError, match=problem) as raised:
        anonymize(FRAME, ROLES, models=KAnonymity(k=2), pseudonym_key=key)
    assert key is None or key.decode() not in str(raised.value)


def test_only_an_identifier_has_a_pseudonym():
    with pytest.raises(SpecError, match="only an identifier"):
        Column("town", Role.QUASI_IDENTIFIER, pseudonym=True)
    document = {"version": 1, "columns": {"town": {"role": "quasi-identifier", "pseudonym": True}}}
    with pytest.raises(SpecError, match="pseudonym"):
        Spec.from_dict(document)


def test_a_spec_carries_the_wish():
    columns = {"town": {"role": "quasi-identifier"}, "patient": {"role": "identifier", "pseudonym": True}}
    spec = Spec.from_dict({"version": 1, "columns": columns})
    assert spec.schema().pseudonyms == ("patient",)
    assert Spec.from_toml(spec.to_toml()) == spec
    assert "pseudonym=True" in spec.to_python()


def test_a_policy_does_not_take_a_pseudonym_for_no_identifier():
    with pytest.raises(PolicyError, match="patient"):
        anonymize(FRAME, ROLES, models=KAnonymity(k=3), policy="pdpc-sg", seed=1, pseudonym_key=KEY)
