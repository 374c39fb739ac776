"""The report of plants whose data are scarce, wrong or strange: it shows what it can, and names what it cannot."""

from __future__ import annotations

import datetime
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import obeya
import pytest
from obeya.__main__ import main
from obeya._report._charts import charts
from obeya._report._gather import Figures, gather
from obeya._report._wanted import Wanted
from obeya._report._page import page
from obeya._report._text import text
from obeya._report._words import Words
from test_report import SVG, environment, table

TODAY = datetime.date(2026, 3, 2)
"""A Monday."""

Plant = dict[str, list[dict[str, Any]]]


def before(days: int) -> str:
    """The day so many days before that of the report."""
    return (TODAY - datetime.timedelta(days=days)).isoformat()


def idea(number: int, **fields: Any) -> dict[str, Any]:
    return {"id": number, "status": "Suggested", "suggestionDate": f"{before(30)}T00:00:00Z", "title": f"Idea {number}", **fields}


NAMES = {
    "incidents": "Incidents",
    "flow": "Cumulative flow",
    "times": "Lead times",
    "overdue-incidents": "Overdue incidents",
    "overdue-improvements": "Overdue improvements",
    "roi": "Return on investment",
}
"""What readers know the parts of a report as that are not shown."""

TYPES = [{"id": 1, "title": "Safety"}, {"id": 2, "title": "Quality"}]


def incident(number: int, day: str, **fields: Any) -> dict[str, Any]:
    return {"id": number, "incidentTypeId": 1, "title": "x", "incidentDate": day, "severity": "High", **fields}


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Callable[[Plant], obeya.TestServer]]:
    """A service with a separate plant."""
    with ExitStack() as stack:

        def start(plant: Plant) -> obeya.TestServer:
            folder = tmp_path / "plant"
            folder.mkdir()
            for resource, lines in plant.items():
                (folder / f"{resource}.jsonl").write_text("".join(map("{}\n".format, map(json.dumps, lines))), encoding="utf-8")
            server = stack.enter_context(obeya.TestServer())
            server.import_dir(folder)
            return server

        yield start


@pytest.fixture
def figures(serve: Callable[[Plant], obeya.TestServer]) -> Callable[..., Figures]:
    """The figures of a plant on the day."""

    def find(plant: Plant, **wanted: Any) -> Figures:
        with serve(plant).client() as client:
            return gather(client, Wanted(**{"title": "Plant", "today": TODAY, **wanted}))

    return find


def said(figures: Figures) -> str:
    return " ".join(text(figures).split())


def shown(figures: Figures) -> ET.Element:
    return ET.fromstring(page(figures))


def test_ideas_that_are_only_open_have_a_report(figures: Callable[..., Figures]) -> None:
    found = figures({"improvements": [idea(1, status="Open"), idea(2, status="Open", priorityStatus="LowEffortHighEffect")]})
    assert (found.flow, found.times, found.failed) == (None, None, {})
    assert "not begun: Possible 0, Implement 1, Challenge 0, Kick 0, not placed 1" in said(found)
    assert [figure.get("id") for figure in shown(found).iterfind(".//{*}figure")] == ["pick"]


def test_a_date_of_any_stage_makes_a_flow(figures: Callable[..., Figures]) -> None:
    found = figures({"improvements": [idea(1, status="Planned", suggestionDate=None, plannedDate=f"{before(9)}T00:00:00Z")]})
    assert found.flow is not None and found.flow.arrived == 1


@pytest.mark.parametrize(
    ("wrong", "failed", "drawn"),
    [
        (
            {"costOfInvestment": -5, "gainOfInvestment": 1},
            {"roi": "1 improvement is left out: the record 2 has a negative cost, -5"},
            # That of all others is drawn.
            ["flow", "times", "pick", "evaluations", "roi"],
        ),
        (
            {"status": "Planned", "plannedDate": f"{before(31)}T00:00:00Z"},
            dict.fromkeys(
                ("flow", "times"),
                "1 improvement with impossible dates is left out: "
                "the record 2 is Planned on 2026-01-30T00:00:00+00:00, before it is Suggested on 2026-01-31T00:00:00+00:00",
            ),
            # That of all others is drawn.
            ["flow", "times", "pick", "evaluations", "roi"],
        ),
    ],
)
def test_a_record_that_a_method_cannot_use_is_named_and_the_chart_drawn(
    wrong: dict[str, Any], failed: dict[str, str], drawn: list[str], figures: Callable[..., Figures]
) -> None:
    judged = idea(1, status="Evaluated", implementedDate=f"{before(9)}T00:00:00Z", evaluationStatus="Good")
    found = figures({"improvements": [{**judged, "costOfInvestment": 1, "gainOfInvestment": 2}, idea(2, **wrong)]})
    assert found.failed == failed
    written, root = said(found), shown(found)
    assert "1 of 1 judged good" in written
    assert [figure.get("id") for figure in root.iterfind(".//{*}figure")] == drawn
    listed = [item.text or "" for item in root.iterfind(".//*[@id='board-failed']//{*}li")]
    assert listed == [f"{NAMES[name]}: {why}" for name, why in failed.items()]
    assert written.endswith("NOT CHARTED " + " ".join(listed))


def test_records_with_impossible_dates_leave_lead_times_and_flow_to_the_others(figures: Callable[..., Figures]) -> None:
    done = [
        idea(at, status="Implemented", suggestionDate=f"{before(40)}T00:00:00Z", implementedDate=f"{before(40 - at)}T00:00:00Z")
        for at in (10, 20, 30)
    ]
    early = [idea(at, status="Implemented", implementedDate=f"{before(at)}T00:00:00Z") for at in (31, 32, 33, 34)]
    never = idea(35, status="Implemented", implementedDate="9999-12-31T00:00:00Z")
    found = figures({"improvements": [*done, *early, never]})
    # 10, 20 and 30 days; 85 in 100 of them: 20 + 0.7 * 10.
    assert found.times is not None and (found.times.finished, found.times.median, found.times.p85) == (3, 20, 27)
    assert "half take at most 20 days, 85% at most 27 (3 improvements)" in said(found)
    assert "half take at most 20 days, 85% at most 27 (3 improvements)" in "".join(shown(found).itertext())
    # That one never comes is no error of the flow: it is suggested since.
    assert found.flow is not None and found.flow.arrived == 4

    def early_ones(numbers: tuple[int, ...]) -> str:
        return "; ".join(
            f"the record {at} is Implemented on {before(at)}T00:00:00+00:00, before it is Suggested on {before(30)}T00:00:00+00:00"
            for at in numbers
        )

    assert found.failed == {
        "flow": f"4 improvements with impossible dates are left out: {early_ones((31, 32, 33))}; and 1 more",
        "times": f"5 improvements with impossible dates are left out: {early_ones((31, 32, 33))}; and 2 more",
    }
    for name, why in found.failed.items():
        assert f"{NAMES[name]}: {why}" in said(found)
        assert f"{NAMES[name]}: {why}" in "".join(shown(found).itertext())


def test_dates_that_python_does_not_hold_are_named_and_the_report_goes_on(figures: Callable[..., Figures]) -> None:
    # The year 0 in UTC.
    early = "0001-01-01T00:00:00+05:00"
    done = idea(1, status="Implemented", implementedDate=f"{before(9)}T00:00:00Z")
    found = figures(
        {
            "incident_types": TYPES,
            "incidents": [incident(1, before(3), dueDate=early), incident(2, before(2)), incident(3, "0000-12-31")],
            "improvements": [done, idea(2, status="Planned", suggestionDate=early), idea(3, dueDate=early)],
        }
    )
    suggested = "the record 2 is Suggested on 0000-12-31T19:00:00+00:00, outside of the years 1900 to 2199"
    left_out = f"1 improvement with impossible dates is left out: {suggested}"
    due = "has the dueDate 0000-12-31T19:00:00+00:00, outside of the years 1 to 9999"
    assert found.failed == {
        "incidents": "1 incident with impossible dates is left out: the record 3 is of 0000-12-31",
        "flow": left_out,
        "times": left_out,
        "overdue-incidents": f"1 incident is left out: the record 1 {due}",
        "overdue-improvements": f"1 improvement is left out: the record 3 {due}",
    }
    for name, why in found.failed.items():
        assert f"{NAMES[name]}: {why}" in said(found)
        assert f"{NAMES[name]}: {why}" in "".join(shown(found).itertext())
    assert found.times is not None and found.times.finished == 1
    assert found.since is not None and found.since.days == 2
    assert (found.recent, found.improvements) == (2, 3)


def test_lead_times_of_the_report_by_hand(figures: Callable[..., Figures]) -> None:
    # Days before the report on which each was suggested, planned, in progress and implemented.
    ways = [(40, 38, 30, 20), (40, 34, 30, 10), (40, None, None, 30), (40, 30)]
    ideas = []
    for at, way in enumerate(ways, 1):
        columns = ("suggestionDate", "plannedDate", "inProgressDate", "implementedDate")
        dates = {column: f"{before(day)}T00:00:00Z" for column, day in zip(columns, way) if day is not None}
        ideas.append(idea(at, **{"status": "Implemented" if len(way) == 4 else "Planned", **dates}))
    found = figures({"improvements": [*ideas, idea(5, status="Open")]})
    root = shown(found)
    # Suggested: 2, 6, 10, 10 days. Planned: 8, 4. In progress: 10, 20. The whole way: 20, 30, 10.
    assert table(root, "times") == [
        ["Stage", "", "50%, days", "85%, days", "95%, days", "Have left it", "Are in it"],
        ["Suggested", "", "8", "10", "10", "4", "0"],
        ["Planned", "", "6", "7.4", "7.8", "2", "1"],
        ["In progress", "", "15", "18.5", "19.5", "2", "0"],
        ["Implemented", "", "", "", "", "0", "3"],
        ["Evaluated", "", "", "", "", "0", "0"],
        ["Suggested to Implemented", "", "20", "27", "29", "3", "1"],
    ]
    says = "From suggestion to implementation half take at most 20 days, 85% at most 27 (3 improvements)."
    assert says in "".join(root.itertext())
    assert "from suggestion to implementation half take at most 20 days, 85% at most 27 (3 improvements)" in said(found)


def test_the_report_says_nothing_of_lead_times_where_none_is_finished(figures: Callable[..., Figures]) -> None:
    found = figures({"improvements": [idea(1), idea(2, status="Planned", plannedDate=f"{before(9)}T00:00:00Z")]})
    assert found.times is not None and found.times.finished == 0
    assert "from suggestion to implementation" not in said(found)
    root = shown(found)
    assert [figure.get("id") for figure in root.iterfind(".//{*}figure")] == ["flow", "pick"]


def weekly(weeks: int) -> list[dict[str, Any]]:
    """A value on the Wednesday of each of the last weeks: 10 until the end of October, and 14 from then on."""
    days = [TODAY - datetime.timedelta(weeks=back, days=-2) for back in range(weeks, 0, -1)]
    return [
        {"id": at, "dataSourceId": 1, "value": 10 if day < datetime.date(2025, 11, 1) else 14, "valueDate": f"{day}T06:00:00Z"}
        for at, day in enumerate(days, 1)
    ]


def process_of(weeks: int) -> Plant:
    return {"datasources": [{"id": 1, "title": "Output"}], "datasource_values": weekly(weeks)}


def test_changes_too_near_to_each_other_are_passed_over(figures: Callable[..., Figures]) -> None:
    # From 2025-08-25 to 2026-02-23. Each of the first two has weeks enough about it, and between them there
    # are three.
    days = ["2026-02-23", "2025-11-24", "2025-11-03", "2025-11-03", "2020-01-01"]
    found = figures(process_of(27), phases=tuple(map(datetime.date.fromisoformat, days)))
    assert found.process is not None
    phases = [(phase.name, phase.points, phase.centre) for phase in found.process.chart.phases]
    assert phases == [("1", 10, 10.0), ("2", 17, 14.0)]
    passed_over = ("1 January 2020", "24 November 2025", "23 February 2026")
    sentences = "Since the change on 3 November 2025 the mean is 4 higher. " + " ".join(
        f"Fewer than 5 weeks before or after the change on {day}: it begins no phase." for day in passed_over
    )
    assert sentences in said(found)
    assert sentences in "".join(shown(found).itertext())


def test_changes_five_weeks_from_each_other_have_phases(figures: Callable[..., Figures]) -> None:
    # From 2025-11-10 to 2026-02-23 there are 16 weeks. The second day is a Wednesday, whose week is of the
    # phase before.
    days = (datetime.date(2025, 12, 15), datetime.date(2026, 1, 21))
    found = figures(process_of(16), phases=days)
    assert found.process is not None
    assert (found.process.changes, found.process.passed_over) == (days, ())
    assert [phase.points for phase in found.process.chart.phases] == [5, 6, 5]


def test_a_difference_of_percentages_is_in_percentage_points(figures: Callable[..., Figures]) -> None:
    # From 10 % to 14 % it is 4 percentage points, and 40 %.
    days = (datetime.date(2025, 11, 3),)
    found = figures(process_of(27), phases=days, unit="%")
    says = "Since the change on 3 November 2025 the mean is 4 percentage points higher."
    assert says in said(found) and says in "".join(shown(found).itertext())


@pytest.mark.parametrize(("unit", "difference"), [("%", "1 percentage point"), ("t/h", "1 t/h"), (None, "1")])
def test_a_difference_has_its_unit(unit: str | None, difference: str, figures: Callable[..., Figures]) -> None:
    plant = process_of(27)
    for value in plant["datasource_values"]:
        value["value"] = 8 - (value["value"] - 10) / 4
    says = f"Since the change on 3 November 2025 the mean is {difference} lower."
    assert says in said(figures(plant, phases=(datetime.date(2025, 11, 3),), unit=unit))


def test_a_step_beyond_the_limit_of_moving_ranges_is_a_signal(figures: Callable[..., Figures]) -> None:
    # See STEP in test_xmr: no week is beyond the limits, only the step from the seventh week to the eighth.
    plant = process_of(12)
    for value, number in zip(plant["datasource_values"], [10, 11, 10, 11, 10, 9, 8, 13, 12, 11, 10, 11], strict=True):
        value["value"] = number
    found = figures(plant)
    monday = TODAY - datetime.timedelta(weeks=5)
    says = f"1 week with a signal, the last that of {monday.day} {monday:%B %Y}: moving range beyond its limit (R1)."
    assert says in said(found)
    root = shown(found)
    assert says in "".join(root.itertext())
    (drawn,) = root.iterfind(f".//*[@id='process']//{SVG}svg[@role='img']")
    (ring,) = [mark.get("d") or "" for mark in drawn.iterfind(f"{SVG}path") if mark.get("class") == "dots ring"]
    # The eighth of 12 points, at equal distances.
    assert re.fullmatch(r"M636\.4,[\d.]+h0", ring)
    assert [row[0] for row in table(root, "process") if row[-1] == "R1"] == [f"{monday.day} {monday:%B %Y}"]


def test_too_few_weeks_for_limits_are_said(figures: Callable[..., Figures]) -> None:
    assert figures(process_of(4)).failed == {"process": "Output has values in 4 weeks of the last 52; limits need 5"}


def test_five_weeks_are_enough_for_limits(figures: Callable[..., Figures]) -> None:
    found = figures(process_of(5))
    assert found.process is not None and len(found.process.weeks) == 5


def test_what_counts_until_which_day(figures: Callable[..., Figures]) -> None:
    # Days of two days ago, yesterday, today and tomorrow: a record that is due today has until the day ends.
    days = [before(2), before(1), before(0), before(-1)]
    found = figures(
        {
            "incident_types": TYPES,
            "incidents": [incident(at, day, dueDate=f"{day}T12:00:00Z") for at, day in enumerate(days, 1)],
            "improvements": [
                idea(at, suggestionDate=f"{day}T06:00:00Z", dueDate=f"{day}T12:00:00Z") for at, day in enumerate(days, 1)
            ],
        }
    )
    for late in (found.late_incidents, found.late_improvements):
        assert late is not None and (late.open, late.overdue) == (4, 2)
        assert late.to_arrow()["days"].to_pylist() == [[2, 1]]
    assert said(found).count("4 open, 2 of them overdue") == 2
    # Only whole days count: today is not over.
    assert found.recent == 2
    assert found.since is not None and (found.since.days, found.since.as_of) == (1, TODAY)
    assert found.cross is not None
    # Yesterday was 1 March.
    states = found.cross.to_arrow().to_pylist()
    assert [day["state"] for day in states[:3]] == ["incident", "to come", "to come"]
    assert found.flow is not None and (found.flow.arrived, found.flow.last) == (2, TODAY - datetime.timedelta(days=1))


def test_a_type_that_is_none_is_refused(
    serve: Callable[[Plant], obeya.TestServer],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    environment(serve({"incident_types": TYPES, "incidents": [incident(1, before(3))]}), monkeypatch)
    output = tmp_path / "report.html"
    arguments = ["report", "-o", str(output), "--today", str(TODAY), "--safety"]
    assert main([*arguments, "Saftey"]) == 1
    assert capsys.readouterr().err == "error: no type of incident is called 'Saftey'; those there are: Quality, Safety\n"
    assert not output.exists()
    # A type without incidents exists nevertheless.
    assert main([*arguments, "Quality"]) == 0
    assert "SAFETY" not in capsys.readouterr().out


def test_names_with_dollars_are_drawn_as_they_are(figures: Callable[..., Figures]) -> None:
    names = ["Fra $9 til $6", "Ba$$in", "Spar $5 (10%) mot $6"]
    plant: Plant = {"incident_types": [], "groups": [], "incidents": [], "improvements": []}
    for at, name in enumerate(names, 1):
        plant["incident_types"].append({"id": at, "title": name})
        plant["groups"].append({"id": at, "type": "GENERAL", "name": name})
        due = {"dueDate": f"{before(at)}T00:00:00Z"}
        groups = {"reportedByGroupId": at, "followUpGroupId": at}
        plant["incidents"].append(incident(at, before(at), incidentTypeId=at, **groups, **due))
        judged = {"priorityStatus": "LowEffortHighEffect", "evaluationStatus": "Good"}
        plant["improvements"].append(idea(at, title=name, categoryId=at, category=name, groupId=at, **judged, **due))
    found = figures(plant)
    root = shown(found)
    for chart in ("since", "types", "overdue-incidents", "overdue-improvements", "pick", "evaluations"):
        (drawn,) = ("".join(figure.itertext()) for figure in root.iterfind(f".//*[@id='{chart}']"))
        assert all(name in drawn for name in names), (chart, drawn)


CONTROLS = "".join(map(chr, [*range(1, 0x20), *range(0x7F, 0xA0), 0xFFFE, 0xFFFF]))
"""Control characters and other characters outside XML 1.0 (section 2.2), without NUL, which the service refuses."""


def test_control_characters_are_shown_as_such_and_do_nothing(figures: Callable[..., Figures]) -> None:
    plant: Plant = {"incident_types": [], "groups": [], "incidents": [], "improvements": []}
    names = ["Red \x1b[31m", "Bell \x02\x07", "C1 \x9b2J", CONTROLS]
    for at, name in enumerate(names, 1):
        causes = [{"id": 10 + at, "title": f"{name} cause"}]
        plant["incident_types"].append({"id": at, "title": name, "causes": causes})
        plant["groups"].append({"id": at, "type": "GENERAL", "name": name})
        due = {"dueDate": f"{before(at)}T00:00:00Z"}
        groups = {"reportedByGroupId": at, "followUpGroupId": at}
        plant["incidents"].append(incident(at, before(at), incidentTypeId=at, causes=[{"id": 10 + at}], **groups, **due))
        judged = {"priorityStatus": "LowEffortHighEffect", "evaluationStatus": "Good"}
        plant["improvements"].append(idea(at, title=name, categoryId=at, category=name, groupId=at, **judged, **due))
    process = process_of(6)
    process["datasources"][0]["title"] = "Out\x1bput"
    found = figures({**plant, **process}, title="Plant \x1b]0;owned\x07", unit="\x02", currency="\x1b")
    written = text(found)
    assert not set(written) & set(CONTROLS) - {"\n"}
    assert "Red \ufffd[31m" in written and "C1 \ufffd2J" in written
    assert written.startswith("Plant \ufffd]0;owned\ufffd, 2026-03-02\n")
    # A parser for XML takes none of them.
    root = shown(found)
    drawn = ["types", "causes", "overdue-incidents", "overdue-improvements", "process", "pick", "evaluations"]
    assert set(drawn) <= {figure.get("id") for figure in root.iterfind(".//{*}figure")}
    assert "Red \ufffd[31m" in "".join(root.itertext())


def test_a_message_of_the_command_commands_no_terminal(
    serve: Callable[[Plant], obeya.TestServer],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    types = [{"id": 1, "title": "Safety \x1b[2J"}]
    environment(serve({"incident_types": types, "incidents": [incident(1, before(3))]}), monkeypatch)
    assert main(["report", "-o", str(tmp_path / "report.html"), "--today", str(TODAY), "--safety", "Saftey"]) == 1
    assert capsys.readouterr().err == "error: no type of incident is called 'Saftey'; those there are: Safety \ufffd[2J\n"


def test_of_many_groups_the_first_are_shown_and_the_others_counted(figures: Callable[..., Figures]) -> None:
    numbers = range(1, 31)
    found = figures(
        {
            "incident_types": TYPES,
            "groups": [{"id": at, "type": "GENERAL", "name": f"Group {at:02}"} for at in numbers],
            "incidents": [incident(at, before(at), reportedByGroupId=at) for at in numbers],
        }
    )
    rows = table(shown(found), "since")[1:]
    assert len(rows) == 9 and rows[-1][0] == "and 22 more"


def test_what_is_folded_is_no_category(figures: Callable[..., Figures]) -> None:
    # Of 12 types with one incident each it takes 10 to reach 80 percent: nine are 75.
    numbers = range(1, 13)
    found = figures(
        {
            "incident_types": [{"id": at, "title": f"Type {at:02}"} for at in numbers],
            "incidents": [incident(at, before(at), incidentTypeId=at) for at in numbers],
        }
    )
    (types,) = [chart for chart in charts(found, Words("en")) if chart.name == "types"]
    assert types.says == "Pareto chart: Type 01 comes first with 8.3%; 10 of 12 make up 80% or more."
    assert [row[0] for row in table(shown(found), "types")[1:]] == [*(f"Type {at:02}" for at in range(1, 10)), "(other)"]
    assert "Type 09" in said(found) and "(other)" not in said(found)
