"""The words that `obeya.lean` knows are those of the interface: it has them by itself, since it works without a client."""

from __future__ import annotations

import inspect
from typing import Any, get_args

from obeya import lean, types
from obeya.lean import _due, _evaluation, _pick, _stages


def words(*kinds: Any) -> set[str]:
    return {word for kind in kinds for word in get_args(kind)}


def default(function: Any, name: str) -> Any:
    return inspect.signature(function).parameters[name].default


def test_evaluations_are_those_of_both_generations() -> None:
    assert set(_evaluation._JUDGEMENTS) == words(types.EvaluationStatusV1, types.EvaluationStatusV2)
    assert set(default(lean.evaluation_ratio, "good")) <= set(_evaluation._JUDGEMENTS)


def test_each_priority_has_a_quadrant_or_is_unplaced() -> None:
    assert {*_pick.QUADRANTS, _pick._UNPLACED} == words(types.ImprovementPriorityStatus)


def test_severities_are_in_the_order_of_the_interface() -> None:
    assert default(lean.safety_cross, "order") == get_args(types.IncidentSeverity)


def test_stages_are_statuses_of_improvements() -> None:
    # Neither is a stage: one requests a change, the other is for improvements without stages.
    assert {*_stages.STAGES, "Activated", "Open"} == words(types.ImprovementStatus)
    assert default(lean.lead_times, "end") in _stages.STAGES


def test_what_is_closed_is_a_status() -> None:
    assert set(_due._CLOSED) <= words(types.IncidentStatus, types.ImprovementStatus)
