"""The file of targets: what it may have in it, and what is said of a file that cannot be used."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from obeya.__main__ import main
from obeya._report._targets import Target, TargetsError, read

WHOLE = """
[[meter]]
group = "Q"
name = "Scrap"
datasource = 2
target = 2
better = "lower"
where = "dimension eq 'Line 3'"
period = "week"
combine = "sum"
unit = "%"

[[meter]]
group = "S"
name = "Walks"
datasource = 8
target = 6.5
better = "higher"
"""


def test_a_file_of_targets_is_read(tmp_path: Path) -> None:
    file = tmp_path / "targets.toml"
    file.write_text(WHOLE, encoding="utf-8")
    assert read(file) == (
        Target("Q", "Scrap", 2, 2.0, "lower", "dimension eq 'Line 3'", "week", "sum", "%"),
        Target("S", "Walks", 8, 6.5, "higher", None, "day", "mean", None),
    )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (WHOLE, "", ": expected meters, each after a line [[meter]]; found none"),
        (WHOLE, "meter = 3", ": expected meters, each after a line [[meter]]; found a whole number, 3 in `meter`"),
        (WHOLE, "[[meters]]", ": expected meters, each after a line [[meter]]; found 'meters'"),
        ('group = "Q"', "group = ", " is no TOML: "),
        ('group = "Q"', 'group = "P"', ", meter 1 ('Scrap'): expected S, Q, D or C in `group`; found 'P'"),
        ('name = "Scrap"\n', "", ", meter 1: expected `name`; found group, datasource, target, better, where, period, combine, unit"),
        ('name = "Scrap"', 'name = " "', ", meter 1 (' '): expected a name in `name`; found an empty text"),
        ("datasource = 2", 'datasource = "2"', ", meter 1 ('Scrap'): expected a whole number in `datasource`; found a text, '2'"),
        ("datasource = 2", "datasource = true", ", meter 1 ('Scrap'): expected a whole number in `datasource`; found true or false, True"),
        ("target = 6.5", 'target = "6,5"', ", meter 2 ('Walks'): expected a number in `target`; found a text, '6,5'"),
        ("target = 6.5", "target = nan", ", meter 2 ('Walks'): expected a number in `target`; found nan"),
        ('better = "higher"', 'better = "up"', ", meter 2 ('Walks'): expected lower or higher in `better`; found 'up'"),
        ('period = "week"', 'period = "shift"', ", meter 1 ('Scrap'): expected day, week or month in `period`; found 'shift'"),
        (
            'unit = "%"',
            'colour = "red"',
            ", meter 1 ('Scrap'): expected only group, name, datasource, target, better, where, period, combine, unit; found 'colour'",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_refused(old: str, new: str, says: str, tmp_path: Path) -> None:
    file = tmp_path / "targets.toml"
    assert old in WHOLE
    file.write_text(WHOLE.replace(old, new), encoding="utf-8")
    with pytest.raises(TargetsError, match=re.escape(f"{file}{says}")):
        read(file)


def test_a_file_that_is_not_there_is_an_error_of_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "no.toml"
    assert main(["report", "--no-html", "--targets", str(file)]) == 1
    assert capsys.readouterr().err == f"error: {file}: No such file or directory\n"


def test_a_file_that_is_no_text_is_no_toml(tmp_path: Path) -> None:
    file = tmp_path / "targets.toml"
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(TargetsError, match="is no TOML: "):
        read(file)
