"""The rollouts of a step and the training processes (LCH-05)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zoomground.recipe.sections import Grpo
from zoomground.train.batches import Step, fitting_prompts, step_of

COUNTS = st.integers(1, 40)


def grpo(prompts: int = 64, generations: int = 8, micro: int = 1, *, fit: bool = False) -> Grpo:
    return Grpo(prompts_per_step=prompts, num_generations=generations, micro_batch_size=micro, fit_batch=fit)


def test_a_step_that_spreads_is_the_recipes_own() -> None:
    assert step_of(grpo(micro=4), 16) == Step(64, 4, 8)


def test_seven_trainers_and_eight_generations() -> None:
    assert step_of(grpo(), 7) is None
    assert fitting_prompts(grpo(), 7) == (63, 70)
    assert step_of(grpo(fit=True), 7) == Step(70, 1, 80)


def test_a_smaller_micro_batch_keeps_a_fitted_step_small() -> None:
    assert step_of(grpo(prompts=8, micro=8, fit=True), 24) == Step(9, 3, 1)


@given(prompts=COUNTS, generations=st.integers(2, 12), micro=st.integers(1, 9), world=COUNTS)
def test_a_fitted_step_is_whole_and_holds_what_was_wanted(
    prompts: int, generations: int, micro: int, world: int
) -> None:
    recipe = grpo(prompts, generations, micro, fit=True)
    step = step_of(recipe, world)
    assert step is not None
    assert step.prompts * generations == world * step.micro_batch_size * step.passes
    assert step.prompts >= prompts
    assert step.micro_batch_size <= micro
    assert step.prompts - prompts < math.lcm(world, generations)
    if step_of(grpo(prompts, generations, micro), world):
        assert step.prompts == prompts


@pytest.mark.parametrize("world", [3, 7, 12, 24])
def test_the_advised_numbers_do_spread(world: int) -> None:
    for prompts in fitting_prompts(grpo(micro=2), world):
        assert step_of(grpo(prompts, micro=2), world)
