"""Every chart as a figure of plotly: its traces have the numbers of the frame, and its texts are those of the other pictures."""

from __future__ import annotations

import datetime
import html
import json
import re
from collections.abc import Iterator
from typing import Any

import plotly.graph_objects as go
import published
import pytest
from obeya import lean
from test_looks import luminance, values
from test_plots import CHARTS, DAY, IMPROVEMENTS, INCIDENTS, moment, with_bad_records

STEP = [10.0, 11, 10, 11, 10, 9, 8, 13, 12, 11, 10, 11]
"""See test_xmr."""


def figure(chart: lean.Result | str, **options: Any) -> dict[str, Any]:
    """The figure as plotly.js gets it."""
    drawn = (CHARTS[chart]() if isinstance(chart, str) else chart).plot(backend="plotly", **options)
    assert isinstance(drawn, go.Figure)
    found: dict[str, Any] = json.loads(drawn.to_json())
    return found


def traces(drawn: dict[str, Any], name: str) -> list[dict[str, Any]]:
    return [trace for trace in drawn["data"] if trace["name"] == name]


def trace(drawn: dict[str, Any], name: str) -> dict[str, Any]:
    (found,) = traces(drawn, name)
    return found


def said(drawn: dict[str, Any], name: str | None = None) -> list[str]:
    """The annotations, those with a name or all, as they are read."""
    found = [note["text"] for note in drawn["layout"].get("annotations", []) if name in (None, note.get("name"))]
    return [read(text) for text in found]


def read(text: str) -> str:
    """A text as plotly draws it."""
    return html.unescape(re.sub(r"</?(b|span)\b[^>]*>", "", text).replace("<br>", "\n"))


def title(drawn: dict[str, Any]) -> str:
    return read(drawn["layout"]["title"]["text"])


def strings(part: Any) -> Iterator[str]:
    """Every string in a figure."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for each in part.values():
            yield from strings(each)
    elif isinstance(part, list):
        for each in part:
            yield from strings(each)


@pytest.mark.parametrize("name", CHARTS)
def test_a_figure_of_its_own(name: str) -> None:
    chart = CHARTS[name]()
    drawn = figure(chart)
    assert title(drawn).replace("\n", " ") == chart._title()
    # As wide as its place, and of no template: on the dark one of a program nothing could be read.
    assert "width" not in drawn["layout"] and drawn["layout"]["paper_bgcolor"] == "#FFFFFF"
    assert "colorway" not in drawn["layout"]["template"].get("layout", {})
    # A template would take texts of the data for its variables.
    assert "template" not in {key.removeprefix("hover").removeprefix("text") for each in drawn["data"] for key in each}
    assert {each["hoverinfo"] for each in drawn["data"]} <= {"text", "skip"}
    for each in drawn["data"]:
        if each["hoverinfo"] == "text":
            assert len(each["hovertext"]) == len(each["x"])
    title_of_mine = figure(chart, title="Mine")["layout"]["title"]["text"]
    assert title_of_mine.startswith("<b>Mine</b>")


@pytest.mark.parametrize("name", CHARTS)
def test_no_text_is_small(name: str) -> None:
    def sizes(part: Any) -> Iterator[float]:
        if isinstance(part, dict):
            for key, each in part.items():
                if key.endswith("font") and "size" in each:
                    yield each["size"]
                yield from sizes(each)
        elif isinstance(part, list):
            for each in part:
                yield from sizes(each)

    assert min(sizes(figure(name))) == 12


def test_it_draws_on_no_axes() -> None:
    with pytest.raises(ValueError, match="plotly draws on no Axes: leave out `ax`"):
        CHARTS["g"]().plot(object(), backend="plotly")  # type: ignore[call-overload]


def test_an_xmr_chart_has_the_values_and_the_ranges_of_its_frame() -> None:
    chart = CHARTS["xmr"]()
    drawn = figure(chart)
    frame = chart.to_arrow()
    assert trace(drawn, "values")["y"] == frame["value"].to_pylist()
    assert trace(drawn, "values")["x"] == list(range(1, 36))
    assert trace(drawn, "ranges")["y"] == frame["range"].to_pylist()
    assert drawn["layout"]["xaxis2"]["matches"] == "x" and trace(drawn, "ranges")["xaxis"] == "x2"
    assert drawn["layout"]["yaxis"]["domain"][0] > drawn["layout"]["yaxis2"]["domain"][1]
    labels = [label.replace("\n", " ") for label in said(drawn, "label")]
    assert labels == ["upper limit 35.6", "mean 34.24", "lower limit 32.87", "upper limit 1.678", "mean 0.5135"]
    assert drawn["layout"]["yaxis"]["title"]["text"] == "value (cSt)"
    assert drawn["layout"]["yaxis2"]["title"]["text"] == "moving range<br>(cSt)"


def test_limits_and_signals_of_a_small_xmr_chart() -> None:
    days = [moment(1 + at) for at in range(12)]
    drawn = figure(lean.xmr({"value": STEP, "valueDate": days}, unit="t/h"))
    # The mean is 126/12 = 10.5, the mean range 15/11. The limits are 10.5 ± 2.66 × 15/11 and 3.267 × 15/11.
    found = {key: (trace(drawn, key)["x"], trace(drawn, key)["y"]) for key in ("centre", "lower", "upper", "range_upper")}
    ends = ["2026-03-01", "2026-03-12", "2026-03-12"]
    assert all(xs == ends and ys[0] == ys[1] and ys[2] is None for xs, ys in found.values())
    heights = [ys[0] for _, ys in found.values()]
    assert heights == pytest.approx([10.5, 10.5 - 2.66 * 15 / 11, 10.5 + 2.66 * 15 / 11, 3.267 * 15 / 11])
    # From 8 to 13 is a range of 5, above 4.455.
    mark = trace(drawn, "signals")
    assert (mark["x"], mark["y"], mark["text"], mark["yaxis"]) == (["2026-03-08"], [5.0], ["R1"], "y2")
    assert mark["hovertext"] == ["2026-03-08<br>moving range: 5 t/h<br>R1, moving range beyond its limit"]
    assert trace(drawn, "values")["hovertext"][7] == "2026-03-08<br>value: 13 t/h"


def test_each_signal_says_its_rules() -> None:
    chart = CHARTS["xmr"]()
    drawn = figure(chart)
    rows = chart.to_arrow().to_pylist()
    marked, beyond = traces(drawn, "signals")
    expected = [at for at, row in enumerate(rows) if set(row["rules"]) - {"R1"}]
    assert marked["x"] == [at + 1 for at in expected] and marked["y"] == [rows[at]["value"] for at in expected]
    assert beyond["y"] == [row["range"] for row in rows if row["range_beyond"]]
    assert "N1, beyond a limit" in marked["hovertext"][0] and "N2, shift" in marked["hovertext"][-1]
    # A run is named where it begins.
    assert marked["text"] == ["N1", "N2", "", ""]


def test_phases_have_lines_of_their_own() -> None:
    drawn = figure("xmr phases")
    for line in ("centre", "upper", "lower", "range_centre", "range_upper"):
        xs, ys = trace(drawn, line)["x"], trace(drawn, line)["y"]
        assert len(xs) == 6 and ys[2] is None and ys[5] is None
        assert ys[0] == ys[1] != ys[3] == ys[4]
    # A divide in either panel.
    assert [shape["name"] for shape in drawn["layout"]["shapes"]] == ["phase"] * 2
    assert said(drawn, "phase") == ["phase one", "phase two"]
    assert trace(drawn, "values")["x"][:2] == ["2026-02-28", "2026-03-31"]


def test_the_line_is_interrupted_where_a_value_is_left_out() -> None:
    line = trace(figure(next(with_bad_records())), "values")
    assert len(line["y"]) == 36 and line["y"][9] is None
    assert line["y"][:9] + line["y"][10:] == [float(value) for value in published.QCC_VISCOSITY]
    assert "connectgaps" not in line


def test_rare_events_are_side_by_side() -> None:
    chart = CHARTS["g"]()
    drawn = figure(chart)
    assert trace(drawn, "values")["y"] == chart.to_arrow()["value"].to_pylist()
    assert len(trace(drawn, "signals")["x"]) == 2
    assert trace(drawn, "median")["y"][:2] == [1, 1] and not traces(drawn, "lower")
    assert drawn["layout"]["xaxis"]["ticktext"][0] == "1995-04-17" and drawn["layout"]["xaxis"]["tickvals"][:2] == [1, 7]
    assert "mean 2.321" in said(drawn, "label")
    drawn = figure("t")
    assert drawn["layout"]["yaxis"]["title"]["text"] == "between events (hours)"
    assert "centre 430" in " ".join(said(drawn, "label"))


def test_a_pareto_chart_has_a_bar_for_each_and_one_line() -> None:
    drawn = figure("pareto")
    bars, line = trace(drawn, "amounts"), trace(drawn, "cumulative")
    assert bars["y"] == [94, 80, 66, 33, 27] and bars["text"] == ["94", "80", "66", "33", "27"]
    # Of 300 in all.
    assert line["y"] == pytest.approx([94 / 3, 174 / 3, 240 / 3, 273 / 3, 100])
    assert len(set(bars["marker"]["color"][:3])) == 1 and bars["marker"]["color"][2] != bars["marker"]["color"][3]
    layout = drawn["layout"]
    assert layout["yaxis"]["range"][1] / 300 == layout["yaxis2"]["range"][1] / 100 == pytest.approx(1.05)
    assert (line["yaxis"], layout["yaxis2"]["overlaying"], layout["yaxis2"]["side"]) == ("y2", "y", "right")
    assert [shape["y0"] for shape in layout["shapes"]] == [240]
    assert layout["yaxis"]["title"]["text"] == "n (defects)" and layout["yaxis2"]["title"]["text"] == "cumulative share (%)"
    assert line["hovertext"][1].endswith("<br>80 n (defects)<br>27%, together 58%")


def test_a_cross_has_a_box_for_each_day() -> None:
    chart = CHARTS["cross"]()
    drawn = figure(chart)
    boxes = {each["name"]: each for each in drawn["data"]}
    # The key has each severity, and those without a day too.
    assert list(boxes) == ["safe", "None", "Low", "Medium", "High", "to come"]
    assert all(each["showlegend"] for each in boxes.values())
    assert [len([x for x in each["x"] if x is not None]) for each in boxes.values()] == [17, 0, 1, 1, 1, 11]
    places = [place for each in boxes.values() for place in zip(each["x"], each["base"], strict=True) if place[0] is not None]
    assert len(set(places)) == 31
    # The second of March is in the middle on top, with two incidents.
    assert (boxes["High"]["x"], boxes["High"]["base"], boxes["High"]["text"]) == ([3.5], [0.03], ["2 ×2<br>High"])
    assert boxes["High"]["hovertext"] == ["2026-03-02<br>High<br>2 incidents"]
    assert drawn["layout"]["yaxis"]["scaleanchor"] == "x" and drawn["layout"]["yaxis"]["range"] == [7, 0]


def test_texts_in_boxes_and_bars_are_read() -> None:
    for name in ("cross", "pareto"):
        for each in figure(name)["data"]:
            inks, fills = each.get("insidetextfont", {}).get("color", []), each["marker"].get("color") if "marker" in each else None
            for at, ink in enumerate(inks):
                fill = fills[at] if isinstance(fills, list) else fills
                light, dark = sorted((luminance(ink), luminance(fill)), reverse=True)
                # WCAG 2.1, 1.4.3.
                assert (light + 0.05) / (dark + 0.05) >= 4.5, (ink, fill)


def test_days_since_have_a_bar_and_a_record_for_each_group() -> None:
    drawn = figure("days")
    assert trace(drawn, "days")["x"] == [11, 18, 9] and trace(drawn, "records")["x"] == [11, 18, 9]
    assert drawn["layout"]["yaxis"]["ticktext"] == ["Foundry", "Paint", "(none)"]
    assert trace(drawn, "figures")["text"] == ["11, a record", "18 (record 18)", "9 (record 9)"]
    # 28 days between the two, and 3 since.
    apart = figure(lean.days_since([DAY(2026, 2, 1), DAY(2026, 3, 1)], as_of="2026-03-04"))
    assert (trace(apart, "days")["x"], trace(apart, "records")["x"]) == ([3], [28])
    assert trace(apart, "figures")["text"] == ["3 (record 28)"]
    assert trace(drawn, "days")["hovertext"][0] == "Foundry<br>11 days since 2026-03-09<br>longest stretch 11 days"


def test_lead_times_show_each_duration() -> None:
    # As in test_plots.
    drawn = figure("lead")
    rows = [0.24, 1.24, 2.24, 5.24]
    assert trace(drawn, "p85")["x"] == pytest.approx([1 + 0.7 * 2, 1 + 0.85, 6, 8]) and trace(drawn, "p85")["y"] == rows
    assert trace(drawn, "p50")["x"] == [1, 1, None, 1.5, 1.5, None, 6, 6, None, 8, 8, None]
    marks = sorted(zip(trace(drawn, "durations")["y"], trace(drawn, "durations")["x"], strict=True))
    assert marks == [(0.24, 1), (0.24, 1), (0.24, 3), (1.24, 1), (1.24, 2), (2.24, 6), (5.24, 8)]
    assert trace(drawn, "figures")["text"][:2] == ["half within 1.0, 85% within 2.4", "half within 1.5, 85% within 1.9"]
    assert drawn["layout"]["yaxis"]["ticktext"][-1] == "Suggested to<br>Implemented (1)"


def test_very_many_durations_have_a_mark_for_each_place() -> None:
    records = [
        {"id": at, "status": "Implemented", "suggestionDate": moment(1), "implementedDate": moment(2) + at * datetime.timedelta(hours=1)}
        for at in range(2000)
    ]
    drawn = figure(lean.lead_times(records, stages={"New": "suggestionDate", "Done": "implementedDate"}, start="New", end="Done"))
    marks = trace(drawn, "durations")
    # From 1 to 84 days in 400 places; two rows have the same times.
    assert 2 * 380 <= len(marks["x"]) <= 2 * 401
    assert max(marks["x"]) == pytest.approx(1 + 1999 / 24)


def test_bands_of_a_flow_are_stacked_and_named() -> None:
    chart = CHARTS["flow"]()
    assert isinstance(chart, lean.CumulativeFlow)
    drawn = figure(chart)
    # The last stage is at the bottom.
    assert [each["name"] for each in drawn["data"]] == [*lean.STAGES][::-1]
    rows = chart.to_arrow().to_pylist()
    for stage in lean.STAGES:
        own = [row for row in rows if row["stage"] == stage]
        assert trace(drawn, stage)["y"] == [row["in_stage"] for row in own]
        assert trace(drawn, stage)["x"] == [row["day"].isoformat() for row in own]
    assert {each["stackgroup"] for each in drawn["data"]} == {"stages"}
    assert "Implemented\n1" in said(drawn) and "Suggested 1" in said(drawn) and not [text for text in said(drawn) if "Archived" in text]
    assert trace(drawn, "Suggested")["hovertext"][0] == "2026-03-01<br>Suggested: 2, 2 entered"


def test_a_long_flow_has_the_days_next_to_a_change() -> None:
    records = [{"id": 1, "status": "Implemented", "suggestionDate": DAY(2024, 1, 5), "implementedDate": DAY(2025, 12, 1)}]
    stages = {"New": "suggestionDate", "Done": "implementedDate"}
    chart = lean.cumulative_flow(records, stages=stages, first="2024-01-01", last="2025-12-31")
    assert len(chart) == 2 * 731
    band = trace(figure(chart), "New")
    assert band["x"] == ["2024-01-01", "2024-01-04", "2024-01-05", "2025-11-30", "2025-12-01", "2025-12-31"]
    assert band["y"] == [0, 0, 1, 1, 0, 0]


def test_ideas_are_in_their_quadrants() -> None:
    drawn = figure("pick")
    places = {each["name"]: (each["x"], each["base"]) for each in drawn["data"]}
    # Little effort is on the left, and much effect on top.
    assert places == {"Implement": ([0.5], [1]), "Challenge": ([1.5], [1]), "Possible": ([0.5], [0]), "Kick": ([1.5], [0])}
    assert "Implement 1\nImprovement 0" in said(drawn, "ideas")
    drawn = figure("pick numbers")
    assert [trace(drawn, name)["x"] for name in ("Possible", "Implement", "Challenge", "Kick")] == [[], [0, 5], [], [10, 15]]
    assert [(shape.get("x0"), shape.get("y0")) for shape in drawn["layout"]["shapes"]] == [(8, 0), (0, 2500)]
    assert drawn["layout"]["xaxis"]["title"]["text"] == "estimatedCostOfInvestmentHours (hours)"
    assert said(drawn, "quadrant") == ["Implement 2", "Challenge 0", "Possible 0", "Kick 2"]
    assert said(drawn, "name") == [f"Improvement {at}" for at in range(4)]
    full = lean.pick({"title": [f"Idea {at}" for at in range(12)], "priorityStatus": ["LowEffortHighEffect"] * 12})
    (listed,) = [text for text in said(figure(full)) if text.startswith("Implement")]
    assert "Idea 6" in listed and "Idea 7" not in listed and listed.endswith("and 5 more")
    assert "Idea 11" in trace(figure(full), "Implement")["hovertext"][0]


def test_ratios_have_a_point_in_an_interval() -> None:
    chart = CHARTS["evaluation"]()
    drawn = figure(chart)
    rows = chart.to_arrow().to_pylist()
    assert trace(drawn, "ratio")["x"] == [100 * row["ratio"] for row in rows]
    ends = [end for row in rows for end in (100 * row["lower"], 100 * row["upper"], None)]
    assert trace(drawn, "interval")["x"] == ends
    assert trace(drawn, "counts")["text"] == ["1 of 1", "0 of 1"]
    drawn = figure("roi")
    assert trace(drawn, "cost")["x"] == [200, 400] and trace(drawn, "gain")["x"] == [600, 600]
    assert trace(drawn, "costs")["text"] == ["cost 200", "cost 400"]
    assert trace(drawn, "gains")["text"] == ["gain 600, ROI 200%", "gain 600, ROI 50%"]
    assert drawn["layout"]["xaxis"]["title"]["text"] == "NOK"


def test_what_is_overdue_is_stacked_by_age() -> None:
    records = [{**IMPROVEMENTS[2], "dueDate": moment(1 - days)} for days in (1, 7, 8, 30, 31, 90)]
    drawn = figure(lean.overdue(records, as_of="2026-03-01"))
    bars = [trace(drawn, age) for age in ("up to 7 days", "8 to 30 days", "more than 30 days")]
    assert [(bar["base"], bar["x"], bar["showlegend"]) for bar in bars] == [([0], [2], True), ([2], [2], True), ([4], [2], True)]
    assert trace(drawn, "figures")["text"] == ["6, longest 90 days"]
    assert drawn["layout"]["yaxis"]["ticktext"] == ["(nobody)"]
    assert bars[0]["hovertext"] == ["(nobody)<br>2 overdue up to 7 days"]


def test_nothing_to_draw_is_said() -> None:
    assert said(figure(lean.xmr([])), "nothing") == ["no data"]
    assert said(figure(lean.overdue([IMPROVEMENTS[0]], as_of="2026-03-20")), "nothing") == ["nothing is overdue"]
    for chart in (
        lean.pareto([]),
        lean.days_since([]),
        lean.lead_times([]),
        lean.cumulative_flow([]),
        lean.evaluation_ratio([]),
        lean.roi([]),
        lean.g_chart([]),
        lean.xmr({"value": [], "group": []}, by="group"),
    ):
        assert said(figure(chart)) == (["no data"] if not len(chart) else []), chart
    # These have no data either, and have axes.
    with_axes = (lean.evaluation_ratio({"evaluationStatus": [None]}), lean.lead_times([IMPROVEMENTS[3]]), lean.pick([]))
    for empty in with_axes:
        assert figure(empty)["layout"]["xaxis"]


def test_the_number_of_records_left_out_is_below_the_title() -> None:
    charts = list(with_bad_records())
    assert len({type(chart) for chart in charts}) == 11
    for chart in charts:
        head, note = title(figure(chart, title="Mine")).split("\n", 1)
        impossible = isinstance(chart, (lean.LeadTimes, lean.CumulativeFlow))
        assert (head, note) == ("Mine", "1 record with impossible dates left out" if impossible else "1 record left out")


def test_groups_have_subplots_with_their_names() -> None:
    incidents = [*INCIDENTS, *({**incident, "severity": "High"} for incident in INCIDENTS)]
    chart = lean.safety_cross(incidents, by="reportedByGroup", as_of="2026-03-20")
    drawn = figure(chart)
    assert said(drawn, "group") == ["Foundry", "Paint", "(none)"]
    assert [drawn["layout"][f"yaxis{number}"]["scaleanchor"] for number in ("", "2", "3")] == ["x", "x2", "x3"]
    # The key has each colour once, and it shows and hides that of all subplots.
    assert [trace["name"] for trace in drawn["data"] if trace["showlegend"]] == ["safe", "None", "Low", "Medium", "High", "to come"]
    assert {trace["legendgroup"] == trace["name"] for trace in drawn["data"]} == {True}
    many = {"value": [1.0, 2, 1, 2, 9] * 17, "line": [f"L{at:02}" for at in range(17) for _ in range(5)]}
    drawn = figure(lean.xmr(many, date=None, by="line"))
    assert len(traces(drawn, "values")) == len(traces(drawn, "ranges")) == 16
    assert "16 of 17 shown" in title(drawn).replace("\n", " ")
    # Each pair has one horizontal axis.
    assert [drawn["layout"][f"xaxis{at}"].get("matches") for at in ("2", "3", "4")] == ["x", None, "x3"]
    ends = [tuple(drawn["layout"][f"yaxis{at or ''}"]["domain"]) for at in [0, *range(2, 33)]]
    assert all(low < high for low, high in ends) and all(one[0] > other[1] for one, other in zip(ends, ends[1:], strict=False))


def test_very_many_values_are_thinned_to_their_signals() -> None:
    chart = lean.xmr(values(22_695))
    drawn = figure(chart)
    line = trace(drawn, "values")
    # All values, without marks and texts of their own: who looks closer sees no other line.
    assert line["mode"] == "lines" and "hovertext" not in line and line["hoverinfo"] == "x+y"
    assert line["y"] == chart.to_arrow()["value"].to_pylist()
    signals = [row for row in chart.to_arrow().to_pylist() if set(row["rules"]) - {"R1"}]
    marked = traces(drawn, "signals")[0]
    assert len(marked["x"]) == len(signals) and 1 <= len([text for text in marked["text"] if text]) <= 12
    # The numbers and dates of two panels, and little else.
    assert len(json.dumps(drawn)) < 100 * len(chart)
    assert trace(figure(lean.xmr(values(100))), "values")["mode"] == "lines+markers"


HOSTILE = ["<b>Fet</b> &lt;i&gt;", '<a href="javascript:alert(1)">her</a>', "$x^2$ %{x} %{meta[0]}", "A<br>B & C <script>", "1 < 2 > 0"]


def hostile_charts() -> Iterator[lean.Result]:
    """Each chart that shows texts of the data, with such."""
    series = {"v": [1.0, 2, 1, 2, 3, 2] * 5, "p": [text for text in HOSTILE for _ in range(6)]}
    name = HOSTILE[1]
    yield lean.xmr({name: series["v"], "p": series["p"]}, date=None, value=name, phases="p", unit=HOSTILE[2])
    yield lean.xmr({**series}, date=None, value="v", by="p")
    yield lean.g_chart({"n": [1, 2, 3, 4, 5]}, date=None, between="n", unit=HOSTILE[0])
    yield lean.pareto({name: HOSTILE * 2}, by=name, unit=HOSTILE[2])
    yield lean.pareto({name: [f"{text} {at}" for text in HOSTILE for at in range(3)]}, by=name)
    days = [DAY(2026, 3, 1 + at) for at in range(5)]
    yield lean.safety_cross({"incidentDate": days, "severity": HOSTILE}, order=HOSTILE, as_of="2026-03-12")
    yield lean.days_since({"incidentDate": days, "g": HOSTILE}, by="g", as_of="2026-03-12")
    late = {"id": HOSTILE, "status": ["New"] * 5, "dueDate": days, "who": HOSTILE}
    yield lean.overdue(late, responsible="who", as_of="2026-03-12")
    stages = {HOSTILE[0]: "suggestionDate", HOSTILE[3]: "implementedDate"}
    yield lean.lead_times(IMPROVEMENTS, stages=stages, start=HOSTILE[0], end=HOSTILE[3])
    yield lean.cumulative_flow(IMPROVEMENTS, stages=stages)
    ideas = {"title": HOSTILE, "priorityStatus": [*lean.QUADRANTS, "LowEffortLowEffect"], name: [1, 2, 3, 4, 5], "$b$": [1, 2, 3, 1, 2]}
    yield lean.pick(ideas)
    yield lean.pick(ideas, effort=name, effect="$b$", effort_from=2, effect_from=2)
    yield lean.evaluation_ratio({"evaluationStatus": ["Good"] * 5, "g": HOSTILE}, by="g")
    yield lean.roi({"costOfInvestment": [1] * 5, "gainOfInvestment": [2] * 5, "g": HOSTILE}, by="g", unit=HOSTILE[2])


def test_texts_of_the_data_are_no_markup() -> None:
    charts = list(hostile_charts())
    assert {type(chart) for chart in charts} == {type(create()) for create in CHARTS.values()} | {lean.Panels}
    for chart in charts:
        drawn = figure(chart, title=f"{HOSTILE[0]} {HOSTILE[2]}")
        assert title(drawn).replace("\n", " ") == f"{HOSTILE[0]} {HOSTILE[2]}"
        found = list(strings({"data": drawn["data"], "layout": {**drawn["layout"], "template": {}}}))
        for text in found:
            own = re.sub(r'<br>|</?b>|<span style="font-size:12px">|</span>', "", text)
            assert not re.search(r"[<>$]|%\{|&(?!(amp|lt|gt|#36|#37);)", own), text
        assert [text for text in found if "&lt;" in text or "&#36;" in text]
    # Where texts are not cut they are read in full.
    drawn = figure(list(hostile_charts())[6])
    assert [read(text).replace("\n", " ") for text in drawn["layout"]["yaxis"]["ticktext"]][0] == HOSTILE[2]


def test_control_characters_are_replaced() -> None:
    stages = {"New\x02": "suggestionDate", "Done\x1b": "implementedDate"}
    drawn = figure(lean.cumulative_flow(IMPROVEMENTS, stages=stages), title="First\x02\nsecond \ufffe")
    assert title(drawn) == "First\ufffd\nsecond \ufffd"
    assert not [text for text in strings(drawn) if re.search("[\x00-\x1f\ufffe]", text)]
