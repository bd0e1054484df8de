"""The command line starts with what the package itself needs: every extra may be missing."""

import subprocess
import sys
import tomllib
from pathlib import Path

from packaging.requirements import Requirement

PROJECT = Path(__file__).parents[2] / "pyproject.toml"

MODULES = {"pillow": "PIL", "ms-swift": "swift", "python-dotenv": "dotenv", "qwen-vl-utils": "qwen_vl_utils"}

START = """
import sys
sys.modules.update(dict.fromkeys(sys.argv[1].split(","), None))
sys.argv = ["zoomground", *sys.argv[2:]]
from zoomground.cli.app import main
main()
"""


def modules(needs: list[str]) -> set[str]:
    names = [Requirement(need).name.lower() for need in needs]
    return {MODULES.get(name, name.replace("-", "_")) for name in names}


def test_the_command_line_starts_without_any_extra() -> None:
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = modules([need for needs in project["optional-dependencies"].values() for need in needs])
    missing = ",".join(sorted(extras - modules(project["dependencies"])))
    assert "psutil" in missing
    for arguments in (["--help"], ["train", "--help"], ["settings"]):
        command = [sys.executable, "-c", START, missing, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
