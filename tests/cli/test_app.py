"""The command as a whole: exit codes, messages in place of tracebacks, help."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from verbs import run

import zoomground
from zoomground.cli.app import app

VERBS = sorted(command.name for command in app.registered_commands)


def test_the_verbs_of_the_issue_are_there() -> None:
    wanted = {"parse", "crop", "play", "score", "validate", "audit-rewards", "rebuild-crops", "list", "show", "report"}
    assert wanted <= set(VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_and_has_json(verb: str) -> None:
    result = run(verb, "--help")
    assert result.exit_code == 0
    assert "--json" in result.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("no-such-verb",),
        ("parse",),
        ("parse", "no-such-file.jsonl"),
        ("parse", "--mode", "sloppy", "-"),
        ("crop", "no-such-file.png", "--box", "0,0,1,1"),
        ("play", "no-such-file.png", "Open"),
        ("score", "no-such-log.jsonl"),
        ("validate", "no-such-rows.jsonl"),
        ("validate",),
        ("rebuild-crops", "no-such-log.jsonl"),
        ("show", "no-such-log.jsonl"),
        ("report", "no-such-run"),
        ("list", "no-such-family"),
        ("list", "--no-such-option"),
        ("audit-rewards", "--quality", "beauty"),
        ("audit-rewards", "--weights", "zoomin_acuracy=1"),
        ("audit-rewards", "--weights", "1 2 3"),
        ("audit-rewards", "--weights", "1 2 3 4 x"),
        ("audit-rewards", "--recipe", "no-such-recipe.toml"),
    ],
    ids=" ".join,
)
def test_wrong_use_is_exit_code_2(arguments: tuple[str, ...]) -> None:
    assert run(*arguments).exit_code == 2


@pytest.mark.parametrize("verb", [("settings",), ("audit-rewards", "--json"), ("train", "--dry-run")], ids=" ".join)
def test_a_mistyped_environment_variable_is_wrong_use(verb: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ZOOMIN_CALL_COSTS", "0.1")
    result = run(*verb)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("error: environment variable 'ZOOMIN_CALL_COSTS' is none of zoomground's; did you ")


def test_an_error_is_one_line_and_exit_code_1(tmp_path: Path) -> None:
    picture = tmp_path / "broken.png"
    picture.write_bytes(b"no picture")
    result = run("crop", picture, "--box", "0,0,500,500", "--out", tmp_path / "out")
    assert result.exit_code == 1
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    assert line.startswith(f"error: {picture}: not an image")


def test_a_folder_that_cannot_be_made_is_an_error_too(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way", "utf-8")
    picture = tmp_path / "a.png"
    from saved import picture as paint

    paint(picture)
    result = run("crop", picture, "--box", "0,0,500,500", "--out", tmp_path / "file" / "below")
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert "Traceback" not in result.stderr


def test_version() -> None:
    result = run("--version")
    assert (result.exit_code, result.stdout.strip()) == (0, zoomground.__version__)


def test_as_a_module_it_is_the_same_command_and_imports_nothing_heavy() -> None:
    code = (
        "import sys, runpy; sys.argv = ['zoomground', 'list', 'arms']\n"
        "try: runpy.run_module('zoomground', run_name='__main__')\n"
        "except SystemExit as end: code = end.code\n"
        "heavy = {'torch', 'transformers', 'swift', 'matplotlib', 'jinja2'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
        "sys.exit(code)"
    )
    source = str(Path(zoomground.__file__).parents[1])
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"PYTHONPATH": source},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == ["arms", "on", "off", "forced"]


def test_a_missing_optional_part_names_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "zoomground.report.run", None)
    result = run("report", tmp_path)
    assert result.exit_code == 1
    assert "zoomground[report]" in result.stderr


def test_settings_in_a_pipe_are_cells_with_a_tab_between_them() -> None:
    first, head, *rows = run("settings").stdout.splitlines()
    assert first.startswith("recipe (none)")
    assert head.split("\t") == ["key", "variable", "value", "default", "source"]
    cells = [row.split("\t") for row in rows]
    assert all(len(row) == 5 for row in cells)
    assert ["run.output_dir", "ZOOMIN_RUN_OUTPUT_DIR", "output/run", "output/run", "default"] in cells
    assert not any(cell != cell.strip() or "  " in cell or not cell for row in cells for cell in row), "no padding"


def test_settings_on_a_terminal_are_folded_to_its_width() -> None:
    primary, secondary = pty.openpty()
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "COLUMNS": "100", "TERM": "xterm"}
    process = subprocess.Popen([sys.executable, "-m", "zoomground", "settings"], stdout=secondary, env=environ)
    os.close(secondary)
    shown = b""
    with contextlib.suppress(OSError):  # Linux ends a terminal that nobody writes to any more by an error
        while part := os.read(primary, 65536):
            shown += part
    os.close(primary)
    assert process.wait() == 0
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown.decode())
    assert "run.output_dir" in text
    assert "\t" not in text
    assert max(len(line.rstrip()) for line in text.splitlines()) <= 100
