"""Where npm packages are looked for, and what is said where they are not."""

import json

import pytest

from zoomground.errors import ZoomgroundError
from zoomground.synth import assets
from zoomground.synth.icons import all_icon_sets
from zoomground.synth.skins import skins


def package(folder, name, version, **more):
    where = folder / name
    where.mkdir(parents=True)
    (where / "package.json").write_text(json.dumps({"version": version, **more}))
    return where


def test_every_skin_and_icon_set_has_a_pinned_package():
    users = {one.package for one in [*skins().values(), *all_icon_sets().values()]} - {""}
    assert users == set(assets.wanted())
    assert all(version[0].isdigit() for version in assets.wanted().values())


def test_another_version_is_not_used(tmp_path):
    package(tmp_path, "bulma", "0.0.1", license="MIT")
    assert not assets.has(tmp_path, "bulma")
    assert assets.licences(tmp_path) == ()
    with pytest.raises(ZoomgroundError, match=r"skin 'x' needs the npm package bulma .* holds version 0\.0\.1"):
        assets.text(tmp_path, "bulma", "css/bulma.css", wanted_by="skin 'x'")


def test_a_missing_file_is_named(tmp_path):
    version = assets.wanted()["uikit"]
    package(tmp_path, "uikit", version, license="MIT")
    assert assets.has(tmp_path, "uikit")
    assert assets.licences(tmp_path) == (assets.Licence("uikit", version, "MIT"),)
    with pytest.raises(ZoomgroundError, match=r"skin 'uikit'.*dist/css/uikit\.css.*fetch uikit again"):
        assets.text(tmp_path, "uikit", "dist/css/uikit.css", wanted_by="skin 'uikit'")


def test_the_folder_may_be_named_with_or_without_node_modules(tmp_path):
    package(tmp_path / "node_modules", "uikit", assets.wanted()["uikit"])
    assert assets.find(tmp_path) == assets.find(tmp_path / "node_modules") == tmp_path / "node_modules"
    with pytest.raises(ZoomgroundError, match="no packages for screens"):
        assets.find(tmp_path / "node_modules" / "uikit")
