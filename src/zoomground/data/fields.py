"""The fields of a training row as they stand in the file (DESIGN section 7), before anything is looked up.

A row is wrong in a field: `FieldError` says which and why, and `zoomground.data.rows` adds the file and the line.
"""

from __future__ import annotations

import difflib
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from zoomground.errors import ZoomgroundError

IMAGE_TAG = "<image>"

_FRAMEWORK_BOXES = frozenset({"objects", "bbox", "bboxes", "boxes", "ref", "bbox_type"})
_REQUIRED = "problem, images and solution (or polygon, or refusal: true)"


class FieldError(ZoomgroundError):
    """A field of a row is wrong."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(f"field '{field}': {problem}")
        self.field = field
        self.problem = problem


class RowFields(BaseModel):
    """A row's fields and their types; nothing else may stand in a row.

    Attributes:
        problem: The instruction with one ``<image>`` tag.
        images: Path of the screenshot, relative to the folder of the rows file, or its data URI; exactly one.
        solution: The target box ``[x1, y1, x2, y2]`` in px, as a JSON list in a string or as a list.
        polygon: The target's corners in px, flat: ``[x1, y1, x2, y2, x3, y3, ...]``; four numbers are a box.
        refusal: Whether nothing on the screen matches; then there is no solution.
        difficulty: What the row says of itself.
        id: Unique in the file; default: file stem and line number.
        meta: Figures that travel with the task. ``width`` and ``height``, if there, are held against the image.
        messages: A chat that another program keeps beside the task; not read.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    problem: str
    images: list[str]
    solution: str | list[Any] | None = None
    polygon: str | list[Any] | None = None
    refusal: bool = False
    difficulty: Literal["hard", "easy"] | None = None
    id: str | int | None = None
    meta: dict[str, Any] = Field(default_factory=dict)
    messages: list[Any] | None = None

    @property
    def instruction(self) -> str:
        """The problem without its ``<image>`` tag and the white space around."""
        return self.problem.replace(IMAGE_TAG, "", 1).strip()


def read_fields(raw: dict[str, Any]) -> RowFields:
    """Check names and types of a row's fields, and the one image tag.

    Raises:
        FieldError: At the first wrong field.
    """
    for name in raw:
        if name not in RowFields.model_fields:
            raise FieldError(name, _unknown(name))
    try:
        fields = RowFields.model_validate(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0]) if first["loc"] else "row"
        if first["type"] == "missing":
            raise FieldError(name, f"is missing; a row needs {_REQUIRED}") from error
        raise FieldError(name, f"{first['msg']}, got {str(first['input'])[:60]!r}") from error
    _check_problem(fields)
    if len(fields.images) != 1:
        raise FieldError("images", f"holds {len(fields.images)} images; a row has exactly one screenshot")
    if fields.id == "":
        raise FieldError("id", "is empty; give each row its own, or leave the field out")
    return fields


def _check_problem(fields: RowFields) -> None:
    tags = fields.problem.count(IMAGE_TAG)
    if tags == 0:
        raise FieldError("problem", f"has no {IMAGE_TAG} tag; write it in front of the instruction")
    if tags > 1:
        raise FieldError("problem", f"has {tags} {IMAGE_TAG} tags; one stands for the screenshot, reword the others")
    if IMAGE_TAG in fields.instruction:
        raise FieldError("problem", f"makes a new {IMAGE_TAG} tag when its own is taken out; reword it")
    if not fields.instruction:
        raise FieldError("problem", f"has no instruction beside the {IMAGE_TAG} tag; write what to point at")


def _unknown(name: str) -> str:
    if name in _FRAMEWORK_BOXES:
        return "is not read: frameworks rescale boxes in their own field; put the box, in px, into 'solution'"
    known = list(RowFields.model_fields)
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f"is unknown; did you mean '{near[0]}'?"
    return f"is unknown; a row knows {', '.join(known)}; put other figures into 'meta'"
