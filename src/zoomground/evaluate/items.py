"""What a benchmark asks: items, the sets that they come in, and the family of benchmarks.

An `Item` is a task with its place in the tables. The frame of scoring is the size that the annotation names, in px,
whatever the size of the image file: a benchmark's official score divides the box by that size too. An `ItemSet` is all
items of one set in one revision; its length is the denominator of every score, whatever becomes of single answers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from zoomground.errors import ZoomgroundError
from zoomground.geometry import Box, Point, Polygon
from zoomground.task import Refusal, Target, Task

if TYPE_CHECKING:
    from zoomground.evaluate.verdicts import Given
    from zoomground.geometry import Size

CROSS = " x "
"""Between the names of two axes that are crossed."""

_FIRST_NAMES = 3
"""How many names an error lists."""


class Scoring(StrEnum):
    """Against which target an answer is held, where the annotations as published are broken.

    - true: the target that was meant; a known fault of the published file is repaired.
    - published: what the published file says, for comparison with figures that were computed from it.
    """

    TRUE = "true"
    PUBLISHED = "published"


@dataclass(frozen=True, slots=True)
class Item:
    """One question of a benchmark.

    Attributes:
        task: Id (unique in the set), instruction, annotated size, target in px of that size.
        image: The screenshot: its file, or a data URI; None where none is here, so that recorded answers can be scored
            but nothing asked.
        groups: Value on each axis of the tables (platform, ui_type, application ...).
        tags: Labels on axes where an item has any number of them (capability, gui_type).
        variants: The instruction in other wordings or languages, by name ("cn").
        published: Target as the published file has it, where that is not the true one; else None.
        file: The annotation file.
        number: Place of the item in it, counted from 1.
    """

    task: Task
    image: Path | str | None
    groups: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    variants: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    published: Target | None = None
    file: Path = Path()
    number: int = 0

    @property
    def id(self) -> str:
        """The task's id."""
        return self.task.id

    @property
    def size(self) -> Size:
        """The annotated size in px: the frame in which the target is given and an answer is scored."""
        return self.task.size

    def values(self, axis: str) -> tuple[str, ...]:
        """Where it stands on an axis: its group, or its tags; nowhere if it has none."""
        return (*((self.groups[axis],) if axis in self.groups else ()), *self.tags.get(axis, ()))

    @property
    def refusal(self) -> bool:
        """Whether nothing on the screen matches, so that only declining is right."""
        return isinstance(self.task.target, Refusal)

    def target(self, scoring: Scoring = Scoring.TRUE) -> Target:
        """What an answer is held against.

        Raises:
            ZoomgroundError: If the task has no target; items of a benchmark always have one.
        """
        target = self.published if scoring is Scoring.PUBLISHED and self.published is not None else self.task.target
        if target is None:
            raise ZoomgroundError(f"item '{self.id}' has no target, so it cannot be scored")
        return target

    def task_on(self, file_size: Size) -> Task:
        """The task in px of the image file, for an episode; the same task if the file has the annotated size."""
        if file_size == self.size:
            return self.task
        sx, sy = file_size.width / self.size.width, file_size.height / self.size.height
        return replace(self.task, size=file_size, target=_scaled(self.target(), sx, sy))

    def worded(self, variant: str) -> Item:
        """The item with another wording of its instruction.

        Raises:
            ZoomgroundError: If it has no such wording.
        """
        if not self.variants.get(variant):
            known = ", ".join(name for name, text in self.variants.items() if text) or "none"
            raise ZoomgroundError(f"item '{self.id}' has no instruction '{variant}'; it has: {known}")
        return replace(self, task=replace(self.task, instruction=self.variants[variant]))


def _scaled(target: Target, sx: float, sy: float) -> Target:
    match target:
        case Box():
            return Box(target.x1 * sx, target.y1 * sy, target.x2 * sx, target.y2 * sy)
        case Polygon():
            return Polygon(tuple(Point(corner.x * sx, corner.y * sy) for corner in target.corners))
        case Refusal():
            return target


class Fate(StrEnum):
    """What became of a fault of the annotations.

    - repaired: the item carries what was meant.
    - kept: known of the published release; the official score counts the item as it is, so this one does too.
    - problem: not known of the release, or not to be repaired; a person must look.
    """

    REPAIRED = "repaired"
    KEPT = "kept"
    PROBLEM = "problem"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is wrong with the annotations.

    Attributes:
        kind: What sort of fault, for counting.
        text: What is wrong and what was done, or what to do.
        fate: What became of it.
        item: Id of the item, "" if it concerns a file or the whole set.
        file: The annotation file, None if it concerns the whole set.
        number: Place in the file, counted from 1; 0 if it concerns the whole file.
        field: The field that is wrong, "" if none.
    """

    kind: str
    text: str
    fate: Fate
    item: str = ""
    file: Path | None = None
    number: int = 0
    field: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.number}: " if self.file is not None and self.number else ""
        place = place or (f"{self.file}: " if self.file is not None else "")
        name = f"'{self.item}' " if self.item else ""
        return f"{place}{name}{self.text}"


@dataclass(frozen=True, slots=True)
class ItemSet:
    """All items of one set in one revision.

    Attributes:
        name: Name of the set and so of its metric ("osworld_g_refined", "screenspot_pro:cn").
        items: The items, in the order of the files; ids are unique.
        revision: Hash of the annotation files' bytes, for logs and for refusing to mix.
        layout: How the data lies on the disk ("official", "converted", "rows").
        expected: How many items the published set has; None where there is no such number.
        faults: What is wrong with the annotations.
        files: The annotation files.
    """

    name: str
    items: tuple[Item, ...]
    revision: str
    layout: str
    expected: int | None = None
    faults: tuple[Fault, ...] = ()
    files: tuple[Path, ...] = ()

    def __len__(self) -> int:
        return len(self.items)

    @property
    def problems(self) -> tuple[Fault, ...]:
        """Faults that a person must look at."""
        return tuple(fault for fault in self.faults if fault.fate is Fate.PROBLEM)

    @property
    def by_id(self) -> dict[str, Item]:
        """The items by their ids."""
        return {item.id: item for item in self.items}

    def worded(self, variant: str) -> ItemSet:
        """The set with another wording of every instruction; the name says so.

        Raises:
            ZoomgroundError: If an item has no such wording.
        """
        return replace(self, name=f"{self.name}:{variant}", items=tuple(item.worded(variant) for item in self.items))

    @property
    def axes(self) -> tuple[str, ...]:
        """Every axis on which an item has a group or a tag, in the order of first sight."""
        return tuple(dict.fromkeys(axis for item in self.items for axis in (*item.groups, *item.tags)))

    def cells(self, axis: str) -> dict[str, list[Item]]:
        """The items by their value on an axis, or, of a tag, in every cell that they are tagged with.

        An axis may be crossed with another: "platform x ui_type" has cells such as "mobile, text".
        """
        parts = self.crossed(axis)
        found: dict[str, list[Item]] = {}
        for item in self.items:
            for values in product(*(item.values(part) for part in parts)):
                found.setdefault(", ".join(values), []).append(item)
        return found

    def crossed(self, axis: str) -> tuple[str, ...]:
        """The axes that a name stands for: itself, or those that it crosses."""
        return (axis,) if axis in self.axes else tuple(axis.split(CROSS))

    def checked(self, *, images: bool) -> ItemSet:
        """The set, if it can be asked (with ``images``) or scored as it is: no row may be lost on the way.

        Raises:
            ZoomgroundError: If a row could not be read, two share an id, or a screenshot that is needed is missing.
        """
        fatal = [fault for fault in self.problems if fault.kind in {UNREADABLE, SAME_ID}]
        if fatal:
            more = f" (and {len(fatal) - 1} more; zoomground verify-data shows them)" if fatal[1:] else ""
            raise ZoomgroundError(f"{fatal[0]}{more}")
        if images:
            self.need_images()
        return self

    def need_images(self) -> None:
        """Make sure that the model can be shown every item.

        Raises:
            ZoomgroundError: If a screenshot is not there; a smaller denominator is never the answer.
        """
        missing = [item.task.image for item in self.items if item.image is None]
        if missing:
            names = ", ".join(missing[:_FIRST_NAMES]) + (", ..." if len(missing) > _FIRST_NAMES else "")
            raise ZoomgroundError(
                f"{self.name}: the screenshots of {len(missing)} of {len(self.items)} items are missing: {names}; "
                "fetch them, or score recorded answers with --replay, which needs none"
            )


@dataclass(frozen=True, slots=True)
class Average:
    """One way to sum up a benchmark; "average" alone means nothing, so every way has its name.

    Attributes:
        name: What tables call it.
        over: Axes that make the cells; the average is the plain mean of the cells' hit rates. None: all items weigh
            the same ("micro").
        refusals: Whether refusal items count; without them it is the figure of models that cannot decline.
    """

    name: str
    over: tuple[str, ...] = ()
    refusals: bool = True

    def cells(self, items: ItemSet) -> dict[tuple[str, ...], list[Item]]:
        """The items that count, by cell, in the order of first sight."""
        found: dict[tuple[str, ...], list[Item]] = {}
        for item in items.items:
            if self.refusals or not item.refusal:
                found.setdefault(tuple(item.groups.get(axis, "") for axis in self.over), []).append(item)
        return found

    def of(self, items: ItemSet, hits: Mapping[str, bool]) -> float | None:
        """The average in [0, 1]; None if no item counts.

        Args:
            items: The whole set; all of it is the denominator.
            hits: Whether each item was answered right, by id.

        Raises:
            ZoomgroundError: If an item has no verdict: a run that is not finished has no average.
        """
        missing = [item.id for item in items.items if item.id not in hits]
        if missing:
            raise ZoomgroundError(
                f"{items.name}: {len(missing)} items have no verdict, first '{missing[0]}'; finish the run first"
            )
        rates = [sum(hits[item.id] for item in cell) / len(cell) for cell in self.cells(items).values()]
        return sum(rates) / len(rates) if rates else None


MICRO = Average("micro")
"""Every item weighs the same."""

Load = Callable[[Path], ItemSet]
"""Reads a folder: every fault is in the set's faults, only a wrong layout is raised."""

Export = Callable[["ItemSet", "Mapping[str, Given]"], "dict[str, Any]"]
"""Makes the document that a leaderboard takes, of a finished run."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A member of the family; its file in `zoomground.evaluate.benchmarks` bears its name.

    Attributes:
        name: Name of the benchmark, of its file and of its metric.
        title: What people call it.
        about: One line: what is asked, how many items, where it comes from.
        read: Reads a folder, faults collected.
        layout: What is expected on the disk, in words.
        axes: Groups and tags to report, in order, "A x B" for two that are crossed; empty: whatever the items have.
        averages: Every way to sum up, the one that tables quote first.
        expected: Number of items of the published set; None where there is no such number.
        export: Makes the document of the benchmark's leaderboard; None where there is none.
    """

    name: str
    title: str
    about: str
    read: Load
    layout: str
    axes: tuple[str, ...]
    averages: tuple[Average, ...]
    expected: int | None = None
    export: Export | None = None

    @property
    def headline(self) -> Average:
        """The average that tables quote."""
        return self.averages[0]

    def reported(self, items: ItemSet) -> tuple[str, ...]:
        """The axes that tables show: the benchmark's own of those that the items have; of rows, all that they have."""
        found = items.axes
        return tuple(axis for axis in self.axes or found if set(items.crossed(axis)) <= set(found))

    def load(self, folder: Path, *, images: bool = True) -> ItemSet:
        """Read a folder for a run.

        Args:
            folder: Where the benchmark was downloaded to.
            images: Whether every screenshot must be there; without, answers can be scored but nothing asked.

        Raises:
            ZoomgroundError: If the layout is another, a row cannot be read, two share an id, or (with ``images``) a
                screenshot is missing. Run ``zoomground verify-data`` to see every fault.
        """
        return self.read(folder).checked(images=images)


UNREADABLE = "unreadable"
"""Kind of the faults that leave a row without an item."""

SAME_ID = "same id"
"""Kind of the faults that leave an item without a name of its own."""
