"""ms-swift is imported once, its own warnings held back: only ours are errors. Without it its tests are left out."""

import importlib
import warnings

collect_ignore: list[str] = []

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        for module in ("swift.rollout", "swift.infer_engine.protocol", "swift.template.vision_utils", "swift.trainers"):
            importlib.import_module(module)
    except ImportError:
        collect_ignore.append("swift")
