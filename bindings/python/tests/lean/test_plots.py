"""Every chart drawn: the picture is there, says what it is about, and has a mark for everything there is to see."""

from __future__ import annotations

import datetime
import io
import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import matplotlib
import published
import pytest
from matplotlib import pyplot
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.text import Text
from obeya import lean

DAY = datetime.date
UTC = datetime.timezone.utc


def moment(day: int) -> datetime.datetime:
    return datetime.datetime(2026, 3, 1, tzinfo=UTC) + datetime.timedelta(days=day - 1)


INCIDENTS = [
    {"incidentDate": DAY(2026, 3, day), "severity": severity, "reportedByGroup": group, "incidentType": kind}
    for day, severity, group, kind in [
        (2, "High", "Foundry", "Leak"),
        (2, "Low", "Paint", "Leak"),
        (9, "Medium", "Foundry", "Fall"),
        (11, "Low", None, "Cut"),
    ]
]

IMPROVEMENTS = [
    {
        "id": at,
        "title": f"Improvement {at}",
        "status": status,
        "priorityStatus": priority,
        "responsibleDisplayName": who,
        "dueDate": moment(due),
        "estimatedCostOfInvestmentHours": 5 * at,
        "estimatedGainOfInvestment": 1000 * (4 - at),
        "costOfInvestment": 100 * at,
        "gainOfInvestment": 300,
        "evaluationStatus": judged,
        "category": f"Category {at % 2}",
        **{column: moment(days[n]) if n < len(days) else None for n, column in enumerate(lean.STAGES.values())},
    }
    for at, (status, priority, who, due, judged, days) in enumerate(
        [
            ("Implemented", "LowEffortHighEffect", "Kari", 4, "Good", [1, 2, 3, 9]),
            ("InProgress", "HighEffortHighEffect", "Kari", 5, None, [1, 4, 6]),
            ("Planned", "LowEffortLowEffect", None, 3, None, [2, 3]),
            ("Suggested", "HighEffortLowEffect", "Ola", 40, "Bad", [5]),
        ]
    )
]

CHARTS: dict[str, Callable[[], lean.Result]] = {
    "xmr": lambda: lean.xmr({"value": [float(value) for value in published.QCC_VISCOSITY]}, date=None, unit="cSt"),
    "xmr phases": lambda: lean.xmr(
        {
            "value": published.WHEELER_ACCOUNTS,
            "valueDate": [moment(31 * at) for at in range(24)],
            "year": ["one"] * 12 + ["two"] * 12,
        },
        phases="year",
        unit="% of sales",
    ),
    "g": lambda: lean.g_chart({"incidentDate": published.BENNEYAN_INFECTIONS}),
    "t": lambda: lean.t_chart({"hours": published.MONTGOMERY_VALVE}, date=None, between="hours", unit="hours"),
    "pareto": lambda: lean.pareto(
        {"defect": list(published.QCC_DEFECTS), "n": list(published.QCC_DEFECTS.values())}, by="defect", weight="n", unit="defects"
    ),
    "cross": lambda: lean.safety_cross(INCIDENTS, as_of="2026-03-20"),
    "days": lambda: lean.days_since(INCIDENTS, by="reportedByGroup", as_of="2026-03-20"),
    "lead": lambda: lean.lead_times(IMPROVEMENTS),
    "flow": lambda: lean.cumulative_flow(IMPROVEMENTS),
    "pick": lambda: lean.pick(IMPROVEMENTS),
    "pick numbers": lambda: lean.pick(
        IMPROVEMENTS,
        effort="estimatedCostOfInvestmentHours",
        effect="estimatedGainOfInvestment",
        effort_from=8,
        effect_from=2500,
        unit="NOK",
    ),
    "evaluation": lambda: lean.evaluation_ratio(IMPROVEMENTS, by="category"),
    "roi": lambda: lean.roi(IMPROVEMENTS, by="category", unit="NOK"),
    "overdue": lambda: lean.overdue(IMPROVEMENTS, as_of="2026-03-20"),
}


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    pyplot.switch_backend("Agg")
    # Tests of other modules may have left figures.
    pyplot.close("all")
    yield
    pyplot.close("all")


def marks(ax: Axes, gid: str) -> list[Any]:
    """The artists of a kind, those of all panels."""
    figure = ax.get_figure()
    assert figure is not None
    return figure.findobj(lambda artist: artist.get_gid() == gid)


def points(ax: Axes, gid: str) -> int:
    """How many points the lines of a kind have."""
    return sum(len(line.get_xdata()) for line in marks(ax, gid))


def texts(ax: Axes) -> str:
    figure = ax.get_figure()
    assert figure is not None
    return "\n".join(text.get_text() for text in figure.findobj() if isinstance(text, Text))


@pytest.mark.parametrize("name", CHARTS)
def test_a_picture_of_its_own(name: str) -> None:
    chart = CHARTS[name]()
    ax = chart.plot()
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    with io.BytesIO() as file:
        figure.savefig(file, format="png")
        png = file.getvalue()
    assert png.startswith(b"\x89PNG") and len(png) > 5000
    assert int.from_bytes(png[16:20], "big") == 640
    assert ax.get_title(loc="left") == chart._title()
    # Only the cross of days has no axes to name.
    assert name == "cross" or ax.get_xlabel() or ax.get_ylabel()


@pytest.mark.parametrize("name", CHARTS)
def test_in_axes_of_the_caller(name: str) -> None:
    figure, (left, right) = pyplot.subplots(1, 2, figsize=(12, 4), layout="constrained")
    assert CHARTS[name]().plot(right, title="Mine") is right
    assert right.get_title(loc="left") == "Mine"
    assert not left.lines and not left.patches
    figure.canvas.draw()
    assert len(pyplot.get_fignums()) == 1


@pytest.mark.parametrize("name", CHARTS)
def test_altair_draws_it_too(name: str) -> None:
    chart = CHARTS[name]()
    # Checked against the schema of Vega-Lite.
    drawn = chart.plot(backend="altair").to_dict()
    assert "vega-lite" in drawn["$schema"]
    assert chart._title() in re.findall(r"'title': ['\"](.*?)['\"][,}]", str(drawn))
    with pytest.raises(ValueError, match="altair draws on no Axes"):
        chart.plot(pyplot.gca(), backend="altair")  # type: ignore[call-overload]


def test_another_backend_is_refused() -> None:
    with pytest.raises(ValueError, match="expected the backend matplotlib, altair or plotly; found 'bokeh'"):
        CHARTS["xmr"]().plot(backend="bokeh")  # type: ignore[call-overload]


def test_an_xmr_chart_marks_and_names_what_is_exceptional() -> None:
    chart = CHARTS["xmr"]()
    assert isinstance(chart, lean.XmR)
    ax = chart.plot()
    assert points(ax, "values") == points(ax, "ranges") == 35
    beyond = sum(chart.to_arrow()["range_beyond"].to_pylist())
    assert points(ax, "signals") == chart.signals + beyond == 5
    said = texts(ax)
    assert "N1" in said and "N2" in said
    assert "value (cSt)" in said and "moving range (cSt)" in said
    assert "upper limit 35.6" in said and "mean 34.24" in said and "lower limit 32.87" in said


def test_a_moving_range_beyond_its_limit_is_marked_and_named_in_its_panel() -> None:
    # See STEP in test_xmr.
    chart = lean.xmr({"value": [10.0, 11, 10, 11, 10, 9, 8, 13, 12, 11, 10, 11]}, date=None)
    ax = chart.plot()
    (marked,) = marks(ax, "signals")
    assert (list(marked.get_xdata()), list(marked.get_ydata())) == ([8], [5.0])
    assert marked.axes is not ax
    assert [text.get_text() for text in marked.axes.texts if text.get_text() == "R1"] == ["R1"]
    assert "R1" not in [text.get_text() for text in ax.texts]
    assert str(chart.plot(backend="altair").to_dict()).count("'signal': 'R1'") == 1


def test_phases_have_lines_of_their_own() -> None:
    ax = CHARTS["xmr phases"]().plot()
    assert [len(marks(ax, line)) for line in ("centre", "upper", "lower", "range_centre", "range_upper")] == [2] * 5
    # A divide in either panel.
    assert len(marks(ax, "phase")) == 2
    assert "phase one" in texts(ax) and "phase two" in texts(ax)


def test_rare_events_stand_side_by_side() -> None:
    ax = CHARTS["g"]().plot()
    assert points(ax, "values") == 28
    assert points(ax, "signals") == 2
    assert len(marks(ax, "median")) == 1 and len(marks(ax, "lower")) == 0
    assert "days" in ax.get_ylabel() and "1995-04-17" in texts(ax)
    ax = CHARTS["t"]().plot()
    assert points(ax, "values") == 20 and points(ax, "signals") == 0
    assert "centre 430" in texts(ax)


def test_a_pareto_chart_has_a_bar_for_each_and_one_line() -> None:
    ax = CHARTS["pareto"]().plot()
    bars = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    assert [bar.get_height() for bar in bars] == [94, 80, 66, 33, 27]
    # The vital few are darker; the rest that is folded up is not one of them.
    folded = lean.pareto({"incidentType": [f"{number:02}" for number in range(20)]}, top=3).plot()
    shades = [patch.get_facecolor() for patch in folded.patches]
    assert len(set(shades[:3])) == 1 and shades[3] not in shades[:3]
    assert len({bar.get_facecolor() for bar in bars[:3]}) == len({bar.get_facecolor() for bar in bars[3:]}) == 1
    assert bars[0].get_facecolor() != bars[4].get_facecolor()
    assert points(ax, "cumulative") == 5
    assert ax.get_ylabel() == "n (defects)"


def test_bars_of_amounts_in_full_stay_within_the_total() -> None:
    incidents = [
        {"id": 1, "causes": ["Wear", "Misuse"], "cost": 700},
        {"id": 2, "causes": ["Misuse"], "cost": 100},
        {"id": 3, "causes": ["Dirt", "Wear"], "cost": 50},
    ]
    chart = lean.pareto(incidents, by="causes", weight="cost", unit="NOK", split="each")
    ax = chart.plot()
    bars = [patch.get_height() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert bars == [800, 750, 50]
    (line,) = marks(ax, "cumulative")
    # With misuse 800, with misuse or wear all 850.
    assert list(line.get_ydata()) == pytest.approx([800, 850, 850])
    assert ax.get_ylim()[1] == pytest.approx(850 * 1.05)
    said = texts(ax)
    assert ax.get_title(loc="left") == "Pareto chart: cost (NOK) by causes, total 850"
    assert "cost (NOK), in full for each of its causes" in said and "share of records with any so far (%)" in said


def test_a_cross_has_a_box_for_each_day() -> None:
    ax = CHARTS["cross"]().plot()
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle) and patch.get_width() > 0.5]
    assert len(boxes) == 31
    # Three days across, seven, and three again.
    rows = sorted(Counter(round(box.get_y() - 0.03) for box in boxes).items())
    assert rows == [(0, 3), (1, 3), (2, 7), (3, 7), (4, 7), (5, 3), (6, 1)]
    across = sorted(box.get_x() for box in boxes)
    assert across[0] + across[-1] == pytest.approx(6.06), "it is the same on both sides"
    assert len({(box.get_x(), box.get_y()) for box in boxes}) == 31
    # Safe, to come, and three severities.
    assert len({box.get_facecolor() for box in boxes}) == 5
    said = texts(ax)
    assert "High\n×2" in said and "Medium" in said and "17 days without incident" in said
    february = lean.safety_cross(INCIDENTS, month="2026-02", as_of="2026-03-20").plot()
    assert len([patch for patch in february.patches if isinstance(patch, Rectangle) and patch.get_width() > 0.5]) == 28


def test_days_since_have_a_bar_and_a_record_for_each_group() -> None:
    ax = CHARTS["days"]().plot()
    assert [bar.get_width() for bar in marks(ax, "days")] == [11, 18, 9]
    assert [list(line.get_xdata()) for line in marks(ax, "records")] == [[11, 18, 9]]
    assert "11, a record" in texts(ax) and "(none)" in texts(ax)


def test_lead_times_show_each_duration() -> None:
    chart = CHARTS["lead"]()
    assert isinstance(chart, lean.LeadTimes)
    ax = chart.plot()
    assert points(ax, "durations") == sum(map(len, chart.durations)) == 7
    assert len(marks(ax, "p85")) == len(marks(ax, "p50")) == 4
    assert ax.get_xlabel() == "days"
    # Suggested 1, 1, 3 days; planned 1, 2; in progress 6; the whole way 8. Rows 3 and 4, to Evaluated, have
    # none.
    found = [(line.get_ydata()[0], sorted(line.get_xdata())) for line in marks(ax, "durations")]
    assert found == [(0, [1, 1, 3]), (1, [1, 2]), (2, [6]), (5, [8])]
    assert [bar.get_width() for bar in marks(ax, "p85")] == pytest.approx([1 + 0.7 * 2, 1 + 0.85, 6, 8])
    assert [list(line.get_xdata()) for line in marks(ax, "p50")] == [[1, 1], [1.5, 1.5], [6, 6], [8, 8]]
    assert [bar.get_y() + bar.get_height() / 2 for bar in marks(ax, "p85")] == pytest.approx([0, 1, 2, 5])
    assert [text.get_text() for text in ax.texts][:2] == ["half within 1.0, 85% within 2.4", "half within 1.5, 85% within 1.9"]
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names[:2] == ["Suggested (3)", "Planned (2)"] and names[-1].replace("\n", " ") == "Suggested to Implemented (1)"


def test_bands_of_a_flow_are_named() -> None:
    ax = CHARTS["flow"]().plot()
    assert all(len(marks(ax, stage)) == 1 for stage in lean.STAGES)
    said = texts(ax)
    assert "Implemented 1" in said and "Suggested 1" in said and "Archived" not in said


def test_ideas_stand_in_their_quadrants() -> None:
    ax = CHARTS["pick"]().plot()
    places = {text.get_text()[:4]: text.get_position() for text in ax.texts}
    assert places["Impl"] < places["Chal"] and places["Poss"] < places["Kick"], "little effort is on the left"
    assert places["Impl"][1] == places["Chal"][1] > places["Poss"][1] == places["Kick"][1], "much effect is on top"
    said = texts(ax)
    assert "Implement 1" in said and "Kick 1" in said and "Improvement 3" in said
    pyplot.close("all")
    ax = CHARTS["pick numbers"]().plot()
    assert [points(ax, name) for name in ("Possible", "Implement", "Challenge", "Kick")] == [0, 2, 0, 2]
    assert ax.get_xlabel() == "estimatedCostOfInvestmentHours (hours)"
    assert ax.get_ylabel() == "estimatedGainOfInvestment (NOK)"


def test_names_of_points_do_not_cover_each_other() -> None:
    ideas = {
        "title": [f"An idea of some length {at}" for at in range(6)],
        "cost": [1, 1.5, 9, 10, 5, 5.2],
        "gain": [5, 5.1, 9, 9, 2, 2],
    }
    ax = lean.pick(ideas, effort="cost", effect="gain", effort_from=4, effect_from=4).plot()
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    figure.canvas.draw()
    boxes = [name.get_window_extent() for name in marks(ax, "name")]
    assert len(boxes) == 6
    assert not [(one, other) for at, one in enumerate(boxes) for other in boxes[:at] if one.overlaps(other)]
    assert all(figure.bbox.x0 <= box.x0 and box.x1 <= figure.bbox.x1 for box in boxes)


def test_a_quadrant_that_is_full_says_how_many_more() -> None:
    ideas = {"title": [f"Idea {at}" for at in range(12)], "priorityStatus": ["LowEffortHighEffect"] * 12}
    said = texts(lean.pick(ideas).plot())
    assert "Idea 6" in said and "Idea 7" not in said and "and 5 more" in said


def test_ratios_have_a_point_in_an_interval() -> None:
    ax = CHARTS["evaluation"]().plot()
    assert len(marks(ax, "ratio")) == len(marks(ax, "interval")) == 2
    assert "1 of 1" in texts(ax) and "0 of 1" in texts(ax)
    ax = CHARTS["roi"]().plot()
    assert [bar.get_width() for bar in marks(ax, "gain")] == [600, 600]
    assert [bar.get_width() for bar in marks(ax, "cost")] == [200, 400]
    assert "ROI 200%" in texts(ax) and "ROI 50%" in texts(ax)


def test_what_is_overdue_is_stacked_by_age() -> None:
    ax = CHARTS["overdue"]().plot()
    assert [sum(bar.get_width() for bar in marks(ax, age)) for age in ("up to 7 days", "8 to 30 days", "more than 30 days")] == [
        0,
        2,
        0,
    ]
    assert "1, longest 17 days" in texts(ax) and "(nobody)" in texts(ax)


def test_ages_have_edges() -> None:
    records = [{**IMPROVEMENTS[2], "dueDate": moment(1 - days)} for days in (1, 7, 8, 30, 31, 90)]
    ax = lean.overdue(records, as_of="2026-03-01").plot()
    assert [sum(bar.get_width() for bar in marks(ax, age)) for age in ("up to 7 days", "8 to 30 days", "more than 30 days")] == [2] * 3


def test_nothing_to_draw_is_drawn() -> None:
    for empty in (
        lean.overdue([IMPROVEMENTS[0]], as_of="2026-03-20"),
        lean.evaluation_ratio({"evaluationStatus": [None]}),
        lean.lead_times([IMPROVEMENTS[3]]),
        lean.pick({"title": ["a"], "priorityStatus": ["NotPrioritized"]}),
    ):
        figure = empty.plot().get_figure()
        assert figure is not None
        figure.canvas.draw()
        empty.plot(backend="altair").to_dict()


def with_bad_records() -> Iterator[lean.Result]:
    """Every chart, each over a frame in which one record cannot be used."""
    values = [float(value) for value in published.QCC_VISCOSITY]
    yield lean.xmr({"value": [*values[:9], None, *values[9:]]}, date=None)
    yield lean.g_chart({"incidentDate": [*published.BENNEYAN_INFECTIONS, None]})
    yield lean.t_chart({"hours": [*published.MONTGOMERY_VALVE, -1]}, date=None, between="hours", unit="hours")
    yield lean.pareto({"incidentType": ["a", "b", "b"], "n": [1, 2, -1]}, weight="n")
    yield lean.safety_cross([*INCIDENTS, {**INCIDENTS[0], "incidentDate": None}], as_of="2026-03-20")
    yield lean.days_since([*INCIDENTS, {**INCIDENTS[0], "incidentDate": None}], as_of="2026-03-20")
    bad = {
        **IMPROVEMENTS[0],
        "suggestionDate": moment(30),
        "priorityStatus": "Soon",
        "evaluationStatus": "Great",
        "costOfInvestment": -1,
        "status": None,
    }
    for compute in (lean.lead_times, lean.cumulative_flow, lean.pick, lean.evaluation_ratio, lean.roi):
        yield compute([*IMPROVEMENTS, bad])
    yield lean.overdue([*IMPROVEMENTS, bad], as_of="2026-03-20")


def test_the_number_of_records_left_out_is_below_the_title() -> None:
    charts = list(with_bad_records())
    assert len({type(chart) for chart in charts}) == 11
    for chart in charts:
        assert len(chart.left_out) == 1
        note = "1 record with impossible dates left out" if hasattr(chart, "arrived") or hasattr(chart, "whole") else "1 record left out"
        assert repr(chart).endswith(f", {note}>") and f", {note}</p>" in chart._repr_html_()
        for title in (None, "Mine"):
            ax = chart.plot(title=title)
            assert ax.get_title(loc="left") == f"{title or chart._title()}\n{note}"
            figure = ax.get_figure()
            assert figure is not None
            figure.canvas.draw()
            pyplot.close("all")
        assert f"'subtitle': '{note}'" in str(chart.plot(backend="altair").to_dict())


def test_the_line_is_interrupted_where_a_value_is_left_out() -> None:
    chart = next(with_bad_records())
    (line,) = marks(chart.plot(), "values")
    heights = list(line.get_ydata())
    assert len(heights) == 36 and math.isnan(heights[9])
    assert heights[:9] + heights[10:] == [float(value) for value in published.QCC_VISCOSITY]
    panel = chart.plot(backend="altair").to_dict()["vconcat"][0]
    assert [layer["encoding"]["detail"]["field"] for layer in panel["layer"] if layer["mark"].get("point")] == ["piece"]
    assert [row["piece"] for row in panel["data"]["values"]] == [0] * 9 + [1] * 26


def test_more_groups_than_can_be_read_share_a_bar() -> None:
    # P00 had its last incident one day ago, P01 two, and so on; each had another 100 days before, P18 500
    # days before.
    incidents = [
        {"reportedByGroup": f"P{who:02}", "incidentDate": DAY(2026, 2, 28) - datetime.timedelta(days=who + before)}
        for who in range(20)
        for before in (0, 500 if who == 18 else 100)
    ]
    chart = lean.days_since(incidents, by="reportedByGroup", as_of="2026-03-01")
    ax = chart.plot()
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert names == [*(f"P{who:02}" for who in range(15)), "(5 others)"]
    # Of any of P15 to P19 the last was 16 days ago, and their longest stretch is that of P18.
    assert [bar.get_width() for bar in marks(ax, "days")] == [*range(1, 16), 16]
    assert ax.texts[-1].get_text() == "16 (record 500)"
    assert len(chart) == 20
    assert "(5 others)" in str(chart.plot(backend="altair").to_dict())
    # The shown ones are ordered by name.
    turned = [{**one, "reportedByGroup": f"Q{19 - at // 2:02}"} for at, one in enumerate(incidents)]
    ax = lean.days_since(turned, by="reportedByGroup", as_of="2026-03-01").plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == [*(f"Q{who:02}" for who in range(5, 20)), "(5 others)"]


DOLLARS = ["Fra $9 til $6", "Ba$$in", "Spar $5 (10%) mot $6"]
"""matplotlib takes the first two for formulas, which it draws in italics or fails at, and the last for one that is wrong."""


def dollar_charts() -> Iterator[lean.Result]:
    """Each chart that shows texts of the data, with such."""
    values = {"$x$": [1.0, 2, 1, 2, 3] * 2, "p": [DOLLARS[0]] * 5 + [DOLLARS[1]] * 5}
    yield lean.xmr(values, date=None, value="$x$", phases="p", unit="$")
    yield lean.g_chart({"n": [1, 2, 3, 4, 5]}, date=None, between="n", unit=DOLLARS[1])
    for many in (1, 3):
        yield lean.pareto({"$t$": DOLLARS * many + [f"$ {at} $" for at in range(3 * many)]}, by="$t$", unit="$/$")
    days = [DAY(2026, 3, 1)] * 3
    yield lean.safety_cross({"incidentDate": days, "severity": DOLLARS}, order=DOLLARS, as_of="2026-03-02")
    yield lean.days_since({"incidentDate": days, "g": DOLLARS}, by="g", as_of="2026-03-02")
    late = {"id": DOLLARS, "status": ["New"] * 3, "dueDate": days, "who": DOLLARS}
    yield lean.overdue(late, responsible="who", as_of="2026-03-02")
    stages = {DOLLARS[0]: "suggestionDate", DOLLARS[1]: "implementedDate"}
    yield lean.lead_times(IMPROVEMENTS, stages=stages, start=DOLLARS[0], end=DOLLARS[1])
    yield lean.cumulative_flow(IMPROVEMENTS, stages=stages)
    ideas = {"title": DOLLARS, "priorityStatus": list(lean.QUADRANTS)[:3], "$a$": [1, 2, 3], "$b$": [1, 2, 3]}
    yield lean.pick(ideas)
    yield lean.pick(ideas, effort="$a$", effect="$b$", effort_from=2, effect_from=2)
    yield lean.evaluation_ratio({"evaluationStatus": ["Good"] * 3, "g": DOLLARS}, by="g")
    yield lean.roi({"costOfInvestment": [1] * 3, "gainOfInvestment": [2] * 3, "g": DOLLARS}, by="g", unit="$/$")


@pytest.mark.parametrize("parses", [True, False])
def test_dollars_are_drawn_as_they_are(parses: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def draw_text(
        _: Any, gc: Any, x: Any, y: Any, text: str, prop: Any, angle: Any, ismath: Any = False, mtext: Any = None
    ) -> None:
        assert not ismath, text
        drawn.append(text)

    monkeypatch.setattr(RendererAgg, "draw_text", draw_text)
    monkeypatch.setitem(matplotlib.rcParams, "text.parse_math", parses)
    for chart in dollar_charts():
        figure = chart.plot().get_figure()
        assert figure is not None
        drawn.clear()
        figure.canvas.draw()
        found = "\n".join(drawn)
        assert "$" in found and "\\" not in found, chart


def test_a_title_of_the_caller_s_is_matplotlib_s() -> None:
    assert CHARTS["xmr"]().plot(title=r"$\bar{x}$").get_title(loc="left") == r"$\bar{x}$"


def test_control_characters_of_the_caller_s_make_no_malformed_svg() -> None:
    title = "First\x02\x1b[31m\nsecond \ufffe"
    for name, create in CHARTS.items():
        chart = create()
        ax = chart.plot(title=title)
        assert ax.get_title(loc="left") == "First\ufffd\ufffd[31m\nsecond \ufffd", name
        well_formed(ax)
        assert "\x02" not in str(chart.plot(title=title, backend="altair").to_dict())
    # Names of stages and of units are the caller's too.
    stages = {"New\x02": "suggestionDate", "Done\x1b": "implementedDate"}
    well_formed(lean.cumulative_flow(IMPROVEMENTS, stages=stages).plot())
    well_formed(lean.xmr({"value": [1.0, 2, 1, 2, 9, 1]}, date=None, unit="t\x02").plot())


def well_formed(ax: Axes) -> None:
    """Whether a parser for XML reads the chart as SVG."""
    figure = ax.get_figure()
    assert isinstance(figure, Figure)
    with io.BytesIO() as file:
        figure.savefig(file, format="svg")
        ET.fromstring(file.getvalue())
    pyplot.close(figure)


def test_more_who_are_late_than_can_be_read_share_a_bar() -> None:
    late = ["2026-02-01", "2026-02-20"]
    records = [
        {"id": 2 * who + at, "status": "Planned", "dueDate": due, "responsibleDisplayName": f"P{who:02}"}
        for who in range(20)
        for at, due in enumerate(late[: 2 if who < 3 else 1])
    ]
    ax = lean.overdue(records, as_of="2026-03-01").plot()
    names = [label.get_text() for label in ax.get_yticklabels()]
    assert (len(names), names[:3], names[-1]) == (16, ["P00", "P01", "P02"], "(5 others)")
    assert ax.texts[-1].get_text() == "5, longest 28 days"
