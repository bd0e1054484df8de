"""ms-swift is imported once, with its own warnings held back: only ours are errors."""

import importlib
import warnings

import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pytest.importorskip("swift.rollout")
    for module in ("swift.infer_engine.protocol", "swift.template.vision_utils", "swift.trainers"):
        importlib.import_module(module)
