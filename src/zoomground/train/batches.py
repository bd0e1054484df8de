"""How the rollouts of a step spread over the training processes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zoomground.recipe.sections import Grpo


@dataclass(frozen=True, slots=True)
class Step:
    """One optimiser step of GRPO.

    Attributes:
        prompts: Prompts whose rollouts it trains on.
        micro_batch_size: Rollouts of one process in one forward and backward pass.
        passes: Passes of one process, whose gradients are summed.
    """

    prompts: int
    micro_batch_size: int
    passes: int


def step_of(grpo: Grpo, world_size: int) -> Step | None:
    """The step of a recipe on so many training processes.

    ms-swift needs whole groups, and the same number of whole passes in every process: the rollouts must be a multiple
    of processes x micro batch, and of the generations. With `fit_batch` the step is the smallest one that holds the
    recipe's prompts, with a smaller micro batch where that keeps it smaller.

    Args:
        grpo: The recipe's section.
        world_size: Training processes on all nodes.

    Returns:
        The step; None if the rollouts do not spread evenly and may not be fitted.
    """
    wanted = grpo.prompts_per_step * grpo.num_generations
    if wanted % (grpo.micro_batch_size * world_size) == 0:
        return Step(grpo.prompts_per_step, grpo.micro_batch_size, wanted // (grpo.micro_batch_size * world_size))
    if not grpo.fit_batch:
        return None
    sizes = []
    for micro in range(1, grpo.micro_batch_size + 1):
        unit = math.lcm(micro * world_size, grpo.num_generations)
        sizes.append((math.ceil(wanted / unit) * unit, -micro))
    rollouts, micro = min(sizes)
    return Step(rollouts // grpo.num_generations, -micro, rollouts // (-micro * world_size))


def fitting_prompts(grpo: Grpo, world_size: int) -> tuple[int, ...]:
    """The numbers of prompts nearest to the recipe's, below and above, that would spread evenly."""
    unit = math.lcm(grpo.micro_batch_size * world_size, grpo.num_generations) // grpo.num_generations
    below = grpo.prompts_per_step // unit * unit
    return tuple(prompts for prompts in (below, below + unit) if prompts)
