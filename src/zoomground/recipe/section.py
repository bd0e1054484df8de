"""What every section of a recipe is made of."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict


@dataclass(frozen=True, slots=True)
class Env:
    """The environment variable of a key, where it is not the systematic one."""

    name: str


class Section(BaseModel):
    """A table of the recipe; a key that it does not know is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, protected_namespaces=())
