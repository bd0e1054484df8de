"""The pages about rewards and credit and the examples in docstrings say what the code does."""

from __future__ import annotations

import doctest
import re
from pathlib import Path
from types import ModuleType

import pytest

from zoomground.policies import oracle
from zoomground.rewards import advantages, base, rubric, turn_credit

DOCS = Path(__file__).parents[2] / "docs"


@pytest.mark.parametrize(("name", "fewest"), [("rewards.md", 6), ("credit.md", 1)])
def test_the_page(name: str, fewest: int) -> None:
    page = DOCS / name
    blocks = re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= fewest
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    report: list[str] = []
    result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=report.append)
    assert result.failed == 0, "".join(report)


@pytest.mark.parametrize("module", [advantages, base, oracle, rubric, turn_credit], ids=lambda module: module.__name__)
def test_docstrings(module: ModuleType) -> None:
    result = doctest.testmod(module)
    assert result.attempted > 0
    assert result.failed == 0
