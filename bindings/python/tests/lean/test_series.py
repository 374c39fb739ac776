"""Series that must not be mixed, and a chart for each of them."""

from __future__ import annotations

import datetime
import random
from typing import Any

import pandas as pd
import pytest
from matplotlib import pyplot
from matplotlib.figure import Figure
from obeya import lean

START = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
LINES = [f"Line {number}" for number in range(1, 7)]


def values(days: int = 20) -> dict[str, list[Any]]:
    """The output of six lines, each with a level of its own. Line 4 breaks down on day 15."""
    source = random.Random(8)
    frame: dict[str, list[Any]] = {"valueDate": [], "value": [], "dimension": [], "dimension2": []}
    for day in range(days):
        for number, line in enumerate(LINES):
            frame["valueDate"].append(START + datetime.timedelta(days=day))
            down = 10 if (number, day) == (3, 15) else 0
            frame["value"].append(20.0 * number + source.choice([-1, 0, 1]) - down)
            frame["dimension"].append(line)
            frame["dimension2"].append("Day" if day % 2 else "Night")
    return frame


def test_values_of_several_lines_are_refused_with_the_columns_named() -> None:
    frame = {name: column for name, column in values().items() if name != "dimension2"}
    message = (
        "^the rows are of 6 series by 'dimension': Line 1, Line 2, Line 3 and 3 more. Choose one, or give by='dimension' "
        r"for a chart of each \(mixed=True if they are one series\)$"
    )
    with pytest.raises(ValueError, match=message):
        lean.xmr(frame)
    with pytest.raises(ValueError, match=r"12 series by 'dimension' and 'dimension2': Line 1, Day, Line 1, Night.*\['dimension', 'd"):
        lean.xmr(values())
    # Some rows of no line are another series; two datasources are two.
    with pytest.raises(ValueError, match=r"2 series by 'dimension': Line 1, \(none\)\. "):
        lean.xmr({"value": [1.0] * 8, "dimension": ["Line 1"] * 7 + [None]}, date=None)
    with pytest.raises(ValueError, match="2 series by 'dataSourceId': 1, 2"):
        lean.xmr({"value": [1.0] * 8, "dataSourceId": [1] * 4 + [2] * 4}, date=None)
    with pytest.raises(ValueError, match="2 series by 'data_source_id': 1, 2"):
        lean.xmr([{"value": 1.0, "data_source_id": source} for source in [1, 2] * 4], date=None)
    # In one chart the ranges are those between lines, and nothing is a signal.
    one = lean.xmr(frame, mixed=True)
    assert (len(one), one.lower < 0, "N1" in sum(one.to_arrow()["rules"].to_pylist(), [])) == (120, True, False)


def test_what_is_one_series_is_charted() -> None:
    frame = pd.DataFrame(values()).query("dimension == 'Line 4'").drop(columns="dimension2")
    assert lean.xmr(frame).signals > 0
    # The phases are separate anyway.
    phased = {"value": [1.0, 2] * 5, "dimension": ["before"] * 5 + ["after"] * 5}
    assert len(lean.xmr(phased, date=None, phases="dimension").phases) == 2


def test_each_line_has_a_chart_of_its_own() -> None:
    found = lean.xmr({**values(), "dimension2": ["All"] * 120}, by="dimension", unit="t")
    assert list(found.charts) == LINES
    frame = pd.DataFrame(values())
    for line, own in frame.groupby("dimension"):
        chart = found.charts[str(line)]
        mean, ranges = own["value"].mean(), own["value"].diff().abs().mean()
        assert [chart.centre, chart.upper] == pytest.approx([mean, mean + 2.66 * ranges])
        assert [bool(rules) for rules in chart.to_arrow()["rules"].to_pylist()].count(True) == chart.signals
    broken = found.charts["Line 4"].to_arrow()["rules"].to_pylist()
    assert broken[15] == ["N1", "R1"]
    assert found.signals == sum(chart.signals for chart in found.charts.values())
    assert repr(found) == f"<obeya.lean.Panels: 6 charts by dimension, {found.signals} signals>"
    table = found.to_arrow()
    assert table.column_names[:3] == ["group", "date", "value"]
    assert table["group"].to_pylist() == [line for line in LINES for _ in range(20)]


def test_groups_of_several_columns_have_the_names_of_all() -> None:
    found = lean.xmr(values(), by=["dimension", "dimension2"])
    assert len(found.charts) == 12
    assert list(found.charts)[:2] == ["Line 1, Day", "Line 1, Night"]
    assert found.by == "dimension and dimension2"
    # Within the lines the shifts are still two series.
    with pytest.raises(ValueError, match="no group of dimension can be charted; Line 1: the rows are of 2 series by 'dimension2'"):
        lean.xmr(values(), by="dimension")
    with pytest.raises(ValueError, match="expected a column of groups in `by`; found none"):
        lean.xmr(values(), by=[])


def test_a_group_that_cannot_be_charted_spoils_no_other() -> None:
    frame = {"value": [1.0, 2, 1, 2, 1, 2, 7], "dimension": ["a"] * 6 + [None]}
    found = lean.xmr(frame, date=None, by="dimension")
    assert (list(found.charts), list(found.failed)) == (["a"], [None])
    assert found.failed[None].startswith("the series has 1 points, of which at least 5")
    assert repr(found) == "<obeya.lean.Panels: 1 chart by dimension, 0 signals, no chart of (none)>"
    assert found.left_out == (f"(none) has no chart: {found.failed[None]}",)
    # Line 1 has a record left out, and five groups too few points.
    frame = {"value": [1.0, 2, 1, 2, 1, None] + [3.0] * 5, "dimension": ["a"] * 6 + ["b" * 30, "c", "d$1$", "e", "f"]}
    found = lean.xmr(frame, date=None, by="dimension")
    note = f"1 record left out, no chart of {'b' * 19}…, c, d$1$ and 2 more"
    assert repr(found) == f"<obeya.lean.Panels: 1 chart by dimension, 0 signals, {note}>"
    assert [why.partition(": ")[0] for why in found.left_out] == ["a", *(f"{name} has no chart" for name in found.failed)]
    pyplot.switch_backend("Agg")
    drawn = found.plot().get_title(loc="left")
    assert drawn.split() == f"XmR chart of value by dimension\n{note}".replace("$", r"\$").split()
    lines = drawn.split("\n")
    assert lines[0] == "XmR chart of value by dimension"
    assert max(map(len, lines)) <= 66
    assert found.plot(backend="altair").to_dict()["title"]["subtitle"] == note
    pyplot.close("all")


def test_charts_with_signals_are_among_those_that_are_shown() -> None:
    calm, broken = [1.0, 2] * 8, [1.0, 2] * 7 + [1, 20]
    groups = {f"{at:02}": broken if at in (4, 18, 19) else calm for at in range(20)}
    frame = {"value": [value for own in groups.values() for value in own], "g": [name for name in groups for _ in range(16)]}
    found = lean.xmr(frame, date=None, by="g", rules=["N1"])
    assert found.signals == 3
    assert [name for name, _ in found._shown()] == ["04", "18", "19", *(f"{at:02}" for at in range(14) if at != 4)]
    assert found._title() == "XmR chart of value by g (16 of 20 shown; 0 signals in the others)"
    assert list(found.charts) == list(groups)
    # Signals in 18 of 20 charts, two in two of them: some charts with one signal are not shown.
    twice = [1.0, 2] * 6 + [40, 1, 2, 40]
    groups = {f"{at:02}": twice if at >= 18 else calm if at in (3, 7) else broken for at in range(20)}
    frame["value"] = [value for own in groups.values() for value in own]
    found = lean.xmr(frame, date=None, by="g", rules=["N1"])
    assert [chart.signals for chart in found.charts.values()].count(2) == 2
    assert [name for name, _ in found._shown()][:3] == ["18", "19", "00"]
    assert found._title() == "XmR chart of value by g (16 of 20 shown; 2 signals in the others)"
    flows = lean.safety_cross({"incidentDate": ["2026-03-01"] * 20, "g": list(groups)}, severity=None, by="g", as_of="2026-03-31")
    assert flows._title() == "Safety cross 2026-03 by g (16 of 20 shown)"


def test_values_of_several_places_are_refused() -> None:
    for column in ("areaId", "assetId", "projectId"):
        frame: dict[str, Any] = {"value": [1.0, 2] * 6, column: [1] * 4 + [2] * 4 + [None] * 4}
        for made in (frame, pd.DataFrame(frame)):
            with pytest.raises(ValueError, match=rf"3 series by '{column}': 1, 2, \(none\)\. Choose one, or give by='{column}'"):
                lean.xmr(made, date=None)
            assert list(lean.xmr(made, date=None, by=column, minimum=4).charts) == ["1", "2", None]
            assert len(lean.xmr(made, date=None, mixed=True)) == 12
            # Where no place is known, the value may be of the same one.
            assert len(lean.xmr({**frame, column: [1] * 6 + [None] * 6}, date=None)) == 12
    # The area of a line says nothing that the line does not.
    lines = {"value": [1.0, 2] * 6, "dimension": ["Line 1", "Line 2"] * 6, "areaId": [3, 4] * 6}
    with pytest.raises(ValueError, match="2 series by 'dimension': Line 1, Line 2"):
        lean.xmr(lines, date=None)
    with pytest.raises(ValueError, match="4 series by 'dimension' and 'areaId': Line 1, 3, Line 1, 4, Line 2, 3 and 1 more"):
        lean.xmr({**lines, "areaId": [3, 3, 4, 4] * 3}, date=None)


def test_every_group_is_drawn_and_named() -> None:
    pyplot.switch_backend("Agg")
    found = lean.xmr({**values(), "dimension2": ["All"] * 120}, by="dimension", unit="t")
    axes = found.plot()
    figure = axes.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    # Values and ranges of each.
    assert len(figure.axes) == 12
    assert axes.get_title(loc="left") == found._title() == "XmR chart of value by dimension"
    names: list[Any] = figure.findobj(lambda artist: artist.get_gid() == "group")
    assert [name.get_text() for name in names] == LINES
    boxes = [name.get_window_extent() for name in names] + [axes.title.get_window_extent()]
    assert not [(one, other) for at, one in enumerate(boxes) for other in boxes[:at] if one.overlaps(other)]
    marked: list[Any] = figure.findobj(lambda artist: artist.get_gid() == "signals")
    beyond = found.to_arrow()["range_beyond"].to_pylist().count(True)
    only_ranges = found.to_arrow()["rules"].to_pylist().count(["R1"])
    assert sum(len(line.get_xdata()) for line in marked) == found.signals - only_ranges + beyond
    drawn = found.plot(backend="altair").to_dict()
    assert len(drawn["vconcat"]) == 6
    pyplot.close("all")
    many = lean.xmr({"value": [1.0, 2, 3] * 40, "g": [f"{at // 6:02}" for at in range(120)]}, date=None, by="g", minimum=2)
    assert many._title() == "XmR chart of value by g (16 of 20 shown; 0 signals in the others)"
    assert len(many.plot().get_figure().axes) == 32  # type: ignore[union-attr]
    pyplot.close("all")
