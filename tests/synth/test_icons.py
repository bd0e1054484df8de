"""Icon sets: every concept is drawn by every set, no two alike, and synonyms say nothing that a label says."""

import re

import pytest

from synth.conftest import needs_assets
from zoomground.errors import ZoomgroundError
from zoomground.synth.icons import all_icon_sets, icon_sets
from zoomground.synth.icons.own import ICONS
from zoomground.synth.words import entries

PACKAGED = sorted(set(all_icon_sets()) - {"own"})


def test_own_drawings_need_nothing():
    assert list(icon_sets(None)) == ["own"]
    for concept in ICONS:
        assert icon_sets(None)["own"].svg(concept, 16).startswith('<svg width="16" height="16"')


def test_a_set_without_its_package_says_how_to_get_it():
    with pytest.raises(ZoomgroundError, match=r"icon set 'lucide'.*lucide-static 1\..*install-screens-assets"):
        all_icon_sets()["lucide"].svg("save", 16)


@pytest.mark.parametrize("name", PACKAGED)
def test_names_are_concepts_and_most_are_the_sets_own(name):
    one = all_icon_sets()[name]
    assert set(one.names) <= set(ICONS)
    assert len(set(one.names.values())) == len(one.names), "two concepts share a drawing"
    assert len(one.names) >= 0.4 * len(ICONS)


@needs_assets
@pytest.mark.parametrize("name", PACKAGED)
def test_every_concept_is_clean_markup_of_its_own(name, assets):
    one = icon_sets(assets)[name]
    drawings = {concept: one.svg(concept, 17) for concept in ICONS}
    assert len(set(drawings.values())) == len(ICONS)
    for concept, drawing in drawings.items():
        assert drawing.startswith('<svg width="17" height="17" viewBox="0 0 '), concept
        assert re.search(r"<(path|circle|rect|line|poly|ellipse|g)", drawing), concept
        assert not re.search(r"\s(id|class)=|<title|<style|<!--", drawing), concept
        assert "currentColor" in drawing


@needs_assets
@pytest.mark.parametrize("name", ["lucide", "tabler", "mdi", "carbon"])
def test_synonyms_tell_concepts_apart_and_never_say_the_label(name, assets):
    one = icon_sets(assets)[name]
    said = [word for concept in ICONS for word in one.synonyms(concept)]
    assert len(said) == len(set(said))
    assert len(said) >= (3 if name == "mdi" else 18)
    labels = {entries()[concept].texts["en"].casefold() for concept in ICONS}
    assert labels.isdisjoint(said)
    assert all(re.fullmatch("[a-z]{3,14}", word) for word in said)


@needs_assets
@pytest.mark.browser
@pytest.mark.parametrize("name", list(all_icon_sets()))
def test_every_concept_leaves_ink(name, assets, browser):
    one = icon_sets(assets)[name]
    browser.devtools.send(
        "Emulation.setDeviceMetricsOverride", {"width": 800, "height": 400, "deviceScaleFactor": 1, "mobile": False}
    )
    places = {concept: (number % 30 * 24, number // 30 * 24) for number, concept in enumerate(ICONS)}
    cells = "".join(
        f'<div style="position:absolute;left:{left}px;top:{top}px">{one.svg(concept, 20)}</div>'
        for concept, (left, top) in places.items()
    )
    browser.page.evaluate("html => { document.body.innerHTML = html; }", cells)
    image = browser.image().convert("L")
    for concept, (left, top) in places.items():
        dark = sum(image.crop((left, top, left + 20, top + 20)).histogram()[:128]) / 400
        assert 0.005 < dark < 0.9, f"{name}: {concept} covers {dark:.1%} of its square"


@needs_assets
def test_a_function_word_fits_its_icon_alone(assets):
    """No set gives it to another icon, and it is not what several other icons do ("find" out, "picture")."""
    fits: dict[str, set[str]] = {}
    for one in icon_sets(assets).values():
        for concept in ICONS:
            for word in one.synonyms(concept):
                fits.setdefault(word, set()).add(concept)
    assert {word: concepts for word, concepts in fits.items() if len(concepts) > 1} == {}
    for word, concepts in fits.items():
        others = [
            other
            for other in set(ICONS) - concepts
            if any(re.search(rf"\b{word}\b", does.casefold()) for does in entries()[other].does)
        ]
        assert len(others) < 2, f"'{word}' also fits {others}"
    assert "review" not in fits
