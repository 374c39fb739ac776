"""Values of a datasource in groups of the service, by the clock of a zone, against pandas."""

from __future__ import annotations

import datetime
from collections.abc import Iterator

import obeya
import pandas as pd
import pytest
from obeya import F


@pytest.fixture(scope="module")
def busy(demo: obeya.TestServer) -> Iterator[obeya.Client]:
    with demo.client() as client:
        yield client


def test_values_are_grouped_by_the_clock_of_a_zone(busy: obeya.Client) -> None:
    values = busy.datasources.values(1).to_pandas()
    local = values["valueDate"].dt.tz_convert("Europe/Oslo")
    periods: list[tuple[datetime.timedelta | str, pd.Series[pd.Timestamp]]] = [
        ("day", local.dt.normalize()),
        (datetime.timedelta(minutes=15), values["valueDate"].dt.floor("15min")),
        ("week", (local.dt.tz_localize(None).dt.normalize() - pd.to_timedelta(local.dt.day_of_week, "D")).dt.tz_localize("Europe/Oslo")),
        ("month", local.dt.tz_localize(None).dt.to_period("M").dt.start_time.dt.tz_localize("Europe/Oslo")),
    ]
    for size, start in periods:
        expected = values["value"].groupby(start.dt.tz_convert("UTC")).agg(["mean", "max", "size"])
        of_period = busy.datasources.values_v2(1).group_by(start=F.value_date.bin(size, "Europe/Oslo"))
        found = of_period.agg(mean=("value", "mean"), most=(F.value, "max"), n="count").to_pandas()
        assert len(found) == len(expected) > 1
        assert (found["start"].to_numpy("datetime64[us]") == expected.index.to_numpy("datetime64[us]")).all()
        assert (found["n"].to_numpy() == expected["size"].to_numpy()).all()
        assert (found["most"].to_numpy() == expected["max"].to_numpy()).all()
        assert abs(found["mean"].to_numpy() - expected["mean"].to_numpy()).max() < 1e-9


def test_values_of_v2_are_those_of_v1(busy: obeya.Client) -> None:
    old = [(value.id, value.value, value.value_date) for value in busy.datasources.values(2, top=1500)]
    new = [(value.id, value.value, value.value_date) for value in busy.datasources.values_v2(2, top=1500)]
    assert old == new != []
    assert busy.datasources.get_v2(2).value_count == busy.datasources.values(2).count()
