"""What the screens of a set are: number ``i`` of a seed is always the same screen, whatever else is made beside it.

Held-out screens share no kind of program, skin, icon set, instruction template or seed with those that are trained on:
`Plan` holds two pools of each, and a screen draws everything from the pool of its split.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from zoomground.errors import ZoomgroundError
from zoomground.synth import words
from zoomground.synth.sizes import DEFAULT_SIZES, ScreenSize

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

HELDOUT_KINDS = frozenset({"shop", "timeline"})
HELDOUT_SKINS = frozenset({"patternfly", "plum"})
HELDOUT_ICON_SETS = frozenset({"carbon", "octicons"})
"""Never trained on. One of the skins is of own CSS, so that there is one without npm packages too."""

PHONE_KINDS = frozenset({"phone"})
"""Kinds that are laid out for a phone; they get phone sizes, and no other kind does."""

_LANGUAGE_WEIGHTS = {"en": 6.0}
_OTHER_LANGUAGE_WEIGHT = 1.0
_DARK_SHARE = 0.35
_DENSEST_SHARE = 0.5
"""Share of screens that draw their density from the packed half only, where the small targets are."""

_Name = TypeVar("_Name")


class Split(StrEnum):
    """What a screen is for."""

    TRAIN = "train"
    HELDOUT = "heldout"


@dataclass(frozen=True, slots=True)
class ScreenSpec:
    """Everything that a screen is made from.

    Attributes:
        number: Its place in the set, from 0.
        seed: Decides what is not said here.
        split: What it is for.
        kind: Program in front.
        skin: Name of the skin.
        icon_set: Name of the icon set.
        size: Size and scale.
        language: Language of its texts.
        dark: Whether it is dark.
        density: 0 roomy to 1 packed.
    """

    number: int
    seed: str
    split: Split
    kind: str
    skin: str
    icon_set: str
    size: ScreenSize
    language: str
    dark: bool
    density: float

    @property
    def name(self) -> str:
        """Name of its folder, and beginning of its rows' ids."""
        return f"{self.number:06d}"


@dataclass(frozen=True, slots=True)
class Pool:
    """What the screens of one split are drawn from; every list is in a fixed order."""

    kinds: tuple[str, ...]
    skins: tuple[str, ...]
    icon_sets: tuple[str, ...]
    sizes: tuple[ScreenSize, ...]


@dataclass(frozen=True, slots=True)
class Plan:
    """What a whole set is drawn from.

    Attributes:
        seed: Decides every screen.
        train: Pool of the screens to train on; None: there are none.
        heldout: Pool of the held-out screens; None: there are none.
        heldout_share: Share of screens that are held out.
        languages: Languages, with their weights.
        light_only: Skins that have no dark form.
        notes: What a person should know about the choice.
    """

    seed: int
    train: Pool | None
    heldout: Pool | None
    heldout_share: float
    languages: tuple[tuple[str, float], ...]
    light_only: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    @property
    def drawn_from(self) -> dict[str, list[str]]:
        """Names of everything that screens are drawn from."""
        pools = [pool for pool in (self.train, self.heldout) if pool is not None]
        return {
            "kinds": sorted({name for pool in pools for name in pool.kinds}),
            "skins": sorted({name for pool in pools for name in pool.skins}),
            "icon sets": sorted({name for pool in pools for name in pool.icon_sets}),
            "sizes": sorted({str(size) for pool in pools for size in pool.sizes}),
        }

    def screen(self, number: int) -> ScreenSpec:
        """The screen of a number."""
        seed = f"{self.seed}/{number}"
        rng = random.Random(f"{seed}/plan")
        held_out = rng.random() < self.heldout_share
        pool = self.heldout if held_out else self.train
        if pool is None:
            raise ZoomgroundError(f"the plan has no screens for {'heldout' if held_out else 'train'}")
        size = rng.choices(pool.sizes, [one.weight for one in pool.sizes])[0]
        skin = rng.choice(pool.skins)
        kind = rng.choice([one for one in pool.kinds if (one in PHONE_KINDS) == size.phone])
        languages, weights = zip(*self.languages, strict=True)
        return ScreenSpec(
            number=number,
            seed=seed,
            split=Split.HELDOUT if held_out else Split.TRAIN,
            kind=kind,
            skin=skin,
            icon_set=rng.choice(pool.icon_sets),
            size=size,
            language=rng.choices(languages, weights)[0],
            dark=rng.random() < _DARK_SHARE and skin not in self.light_only,
            density=round(rng.uniform(0.5 if rng.random() < _DENSEST_SHARE else 0.0, 1.0), 3),
        )


@dataclass(frozen=True, slots=True)
class Supply:
    """What is there to draw with: kinds, skins and icon sets whose files were found, by name, and skins never dark."""

    kinds: tuple[str, ...]
    skins: tuple[str, ...]
    icon_sets: tuple[str, ...]
    light_only: frozenset[str] = frozenset()


def make_plan(
    supply: Supply,
    *,
    seed: int,
    kinds: Sequence[str] = (),
    languages: Sequence[str] = (),
    sizes: Sequence[ScreenSize] = (),
    heldout_share: float = 0.1,
) -> Plan:
    """A plan of what was asked for and is there; empty lists mean all.

    Raises:
        ZoomgroundError: If a name is unknown, or nothing is left to draw from.
    """
    wanted = _known("kind of program", kinds, supply.kinds)
    spoken = _known("language", languages, tuple(words.LANGUAGES))
    notes: list[str] = []
    if heldout_share > 0 and not HELDOUT_ICON_SETS.intersection(supply.icon_sets):
        names = ", ".join(sorted(HELDOUT_ICON_SETS))
        notes.append(f"held-out screens have the icons of the others: none of the icon sets {names} is there")
    pools = {split: _pool(split, wanted, supply, tuple(sizes) or DEFAULT_SIZES) for split in Split}
    share = heldout_share
    if share > 0 and pools[Split.HELDOUT] is None:
        notes = [f"no screens are held out: {_lacking(wanted, supply)}"]
        share = 0.0
    if share < 1 and pools[Split.TRAIN] is None:
        if pools[Split.HELDOUT] is None:
            raise ZoomgroundError("no kind of program fits the sizes: phone sizes go with the kind phone, and only it")
        names = ", ".join(sorted(HELDOUT_KINDS))
        raise ZoomgroundError(f"nothing to train on: {names} are held-out kinds; name others too, or hold out all")
    return Plan(
        seed,
        pools[Split.TRAIN] if share < 1 else None,
        pools[Split.HELDOUT] if share > 0 else None,
        share,
        tuple((one, _LANGUAGE_WEIGHTS.get(one, _OTHER_LANGUAGE_WEIGHT)) for one in spoken),
        supply.light_only,
        tuple(notes),
    )


def shared(rows: Iterable[Mapping[str, object]], others: Iterable[Mapping[str, object]]) -> dict[str, list[str]]:
    """What two splits have in common, by figure of their rows' ``meta``: empty lists are the proof of the split."""
    figures = ("kind", "skin", "icon_set", "template", "seed")
    one, two = ({name: {str(row[name]) for row in side if row.get(name)} for name in figures}
                for side in (list(rows), list(others)))  # fmt: skip
    return {name: sorted(one[name] & two[name]) for name in figures}


def _pool(split: Split, kinds: tuple[str, ...], supply: Supply, sizes: tuple[ScreenSize, ...]) -> Pool | None:
    chosen = _of(split, kinds, HELDOUT_KINDS)
    fitting = tuple(size for size in sizes if any((kind in PHONE_KINDS) == size.phone for kind in chosen))
    usable = tuple(kind for kind in chosen if any((kind in PHONE_KINDS) == size.phone for size in fitting))
    icon_sets = _of(split, supply.icon_sets, HELDOUT_ICON_SETS) or supply.icon_sets
    pool = Pool(usable, _of(split, supply.skins, HELDOUT_SKINS), icon_sets, fitting)
    return pool if pool.kinds and pool.skins and pool.sizes else None


def _of(split: Split, names: tuple[str, ...], held_out: frozenset[str]) -> tuple[str, ...]:
    return tuple(name for name in names if (name in held_out) == (split is Split.HELDOUT))


def _lacking(kinds: tuple[str, ...], supply: Supply) -> str:
    lists = (("kind of program", kinds, HELDOUT_KINDS), ("skin", supply.skins, HELDOUT_SKINS))
    for what, names, held_out in lists:
        if not held_out.intersection(names):
            return f"no {what} of {', '.join(sorted(held_out))} is asked for or there"
    return "their kinds do not fit the sizes"


def _known(what: str, asked: Sequence[str], known: tuple[str, ...]) -> tuple[str, ...]:
    for name in asked:
        if name not in known:
            raise ZoomgroundError(f"unknown {what} '{name}'; there are {', '.join(known)}")
    return tuple(name for name in known if name in asked) if asked else known
