"""scripts/demo: which recipe it runs, and that further words reach the command. Nothing is installed here."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from zoomground.recipe import load_recipe

ROOT = Path(__file__).parents[1]


def demo(tmp_path: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The script in a folder with stand-ins for the installation and the command."""
    (tmp_path / "scripts").mkdir()
    shutil.copy(ROOT / "scripts" / "demo", tmp_path / "scripts" / "demo")
    for name, text in (("scripts/install", "#!/bin/sh\n"), (".venv/bin/zoomground", '#!/bin/sh\nprintf "<%s>" "$@"\n')):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
    return subprocess.run([tmp_path / "scripts" / "demo", *words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "ran"),
    [
        ((), "<train><recipes/demo-cpu.toml>"),
        (("--quick",), "<train><recipes/demo-quick.toml>"),
        (("--seeds", "3", "--from-scratch"), "<train><recipes/demo-scratch.toml><--seeds><3>"),
    ],
)
def test_the_recipe_of_each_demo(tmp_path: Path, words: tuple[str, ...], ran: str) -> None:
    result = demo(tmp_path, *words)
    assert (result.returncode, result.stdout) == (0, ran), result.stderr
    assert ("claims nothing" in result.stderr) == ("--quick" in words)


def test_two_demos_at_once_are_wrong_use(tmp_path: Path) -> None:
    result = demo(tmp_path, "--quick", "--from-scratch")
    assert (result.returncode, result.stdout) == (2, "")
    assert "give one of them" in result.stderr


def test_the_quick_demo_is_the_demo_with_less(tmp_path: Path) -> None:
    whole, quick = (load_recipe(ROOT / "recipes" / f"demo-{name}.toml", {}).recipe for name in ("cpu", "quick"))
    assert 0 < quick.grpo.steps < whole.grpo.steps
    assert quick.evaluate.rows > 0
    other = {"run", "grpo", "evaluate"}
    assert whole.model_dump(exclude=other) == quick.model_dump(exclude=other)
    folders = {load_recipe(path, {}).recipe.run.output_dir for path in (ROOT / "recipes").glob("demo-*.toml")}
    assert len(folders) >= 4
