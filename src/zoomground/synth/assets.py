"""Component libraries and icon sets from npm: where they lie, which versions, under which licences.

Nothing of them is part of zoomground. ``scripts/install-screens-assets`` fetches the versions that `package.json`
beside this file names; without them the own skins and the own icons draw every screen.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from zoomground.errors import ZoomgroundError

if TYPE_CHECKING:
    from collections.abc import Mapping

INSTALL = "scripts/install-screens-assets"
"""The command that fetches the packages."""


@dataclass(frozen=True, slots=True)
class Licence:
    """What may be done with a package, in its own words: an SPDX expression."""

    package: str
    version: str
    licence: str


@lru_cache(1)
def wanted() -> Mapping[str, str]:
    """The exact version of each package that skins and icon sets are written for."""
    text = files("zoomground.synth").joinpath("package.json").read_text(encoding="utf-8")
    return MappingProxyType(dict(json.loads(text)["dependencies"]))


def default_folder() -> Path:
    """Where ``scripts/install-screens-assets`` puts the packages if nobody says otherwise."""
    return Path.home() / ".cache" / "zoomground" / "npm" / "node_modules"


def find(folder: Path | None = None) -> Path | None:
    """The ``node_modules`` folder to use; None: there is none, and own skins and icons have to do.

    Args:
        folder: Where the caller says it is; None looks in the default folder.

    Raises:
        ZoomgroundError: If the caller's folder is not there, or holds none of the packages.
    """
    if folder is None:
        return default_folder() if default_folder().is_dir() else None
    inside = folder / "node_modules"
    found = inside if inside.is_dir() else folder
    if not any(has(found, package) for package in wanted()):
        raise ZoomgroundError(f"{folder}: no packages for screens in it; fetch them: {INSTALL} {folder}")
    return found


def has(assets: Path | None, package: str) -> bool:
    """Whether a package is there in the version that is wanted; own CSS and drawings (no package) always are."""
    return not package or (assets is not None and _version(assets, package) == wanted()[package])


def folder(assets: Path | None, package: str, *, wanted_by: str) -> Path:
    """The folder of a package.

    Raises:
        ZoomgroundError: If it is not there, or in another version.
    """
    version = wanted()[package]
    get = f"fetch it: {INSTALL}"
    if assets is None:
        raise ZoomgroundError(f"{wanted_by} needs the npm package {package} {version}; {get}")
    found = _version(assets, package)
    if found != version:
        state = f"holds version {found}" if found else "is not there"
        raise ZoomgroundError(
            f"{wanted_by} needs the npm package {package} {version}; {assets / package} {state}; {get}"
        )
    return assets / package


def text(assets: Path | None, package: str, file: str, *, wanted_by: str) -> str:
    """The text of a file of a package.

    Args:
        assets: The ``node_modules`` folder.
        package: The package.
        file: Path of the file inside the package.
        wanted_by: Who asks, for the error: ``skin 'bulma'``.

    Raises:
        ZoomgroundError: If the package or the file is not there.
    """
    path = folder(assets, package, wanted_by=wanted_by) / file
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ZoomgroundError(f"{wanted_by}: {path}: {error.strerror}; fetch {package} again: {INSTALL}") from error


def licences(assets: Path | None) -> tuple[Licence, ...]:
    """The licences of all wanted packages that are there, by name."""
    return tuple(
        Licence(package, version, str(_manifest(str(assets), package).get("license", "see the package")))
        for package, version in sorted(wanted().items())
        if has(assets, package)
    )


def _version(assets: Path, package: str) -> str:
    """The version of a package that is there; empty if none is."""
    return str(_manifest(str(assets), package).get("version", ""))


@lru_cache(256)
def _manifest(assets: str, package: str) -> Mapping[str, object]:
    try:
        found: dict[str, object] = json.loads(Path(assets, package, "package.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found
