"""Where figures were made: the commit and the machine."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def commit() -> str:
    """The commit of this repository."""
    words = ["git", "-C", str(ROOT), "describe", "--always", "--dirty", "--abbrev=7", "--exclude=*"]
    try:
        said = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603 -- our own command
    except FileNotFoundError:
        return "unknown"
    return said.stdout.strip() or "unknown"


def machine() -> str:
    """What this machine is."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.system()} {platform.machine()}, {cores} CPU cores, Python {platform.python_version()}"
