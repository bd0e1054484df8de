"""Which checkpoint a folder holds, without loading it."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from pathlib import Path

_WEIGHTS = (".safetensors", ".bin", ".pt")
_SAMPLE_BYTES = 1 << 20


def checkpoint_hash(folder: Path) -> str:
    """Tells one checkpoint from another, wherever they lie: small files whole, of weights the size and both ends.

    Raises:
        ZoomgroundError: If the folder holds no checkpoint.
    """
    if not (folder / "config.json").is_file():
        raise ZoomgroundError(f"{folder}: no checkpoint (config.json is missing); name a checkpoint's folder")
    known = hashlib.sha256()
    for path in sorted(one for one in folder.iterdir() if one.suffix in {*_WEIGHTS, ".json", ".jinja", ".txt"}):
        size = path.stat().st_size
        known.update(f"{path.name} {size}\n".encode())
        with path.open("rb") as stream:
            if path.suffix not in _WEIGHTS or size <= 2 * _SAMPLE_BYTES:
                known.update(stream.read())
                continue
            known.update(stream.read(_SAMPLE_BYTES))
            stream.seek(-_SAMPLE_BYTES, 2)
            known.update(stream.read())
    return known.hexdigest()[:16]
