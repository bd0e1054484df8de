"""Where and by what figures were made: without it they say nothing."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from pathlib import Path
from typing import Any

from PIL import features

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))

from experiment.machine import commit, machine  # noqa: E402 -- the scripts are no package

_CPU_INFO = Path("/proc/cpuinfo")


def cpu() -> str:
    """The processor's name."""
    lines = _CPU_INFO.read_text("utf-8").splitlines() if _CPU_INFO.exists() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, "") or platform.processor() or "unknown"


def versions() -> dict[str, str]:
    """What decides over these figures."""
    found = {"Python": platform.python_version()}
    for name in ("pillow", "pydantic", "ms-swift", "transformers"):
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    codecs = {"zlib": "zlib", "libjpeg-turbo": "libjpeg_turbo", "webp": "webp", "zlib-ng": "zlib_ng"}
    known = {**features.modules, **features.codecs, **features.features}
    for shown, feature in codecs.items():
        if feature in known and (version := features.version(feature)):
            found[shown] = str(version)
    return found


def facts() -> dict[str, Any]:
    """Machine, processor, load, versions, commit."""
    return {
        "machine": machine(),
        "cpu": cpu(),
        "load": os.getloadavg()[0],
        "versions": versions(),
        "commit": commit(),
    }
