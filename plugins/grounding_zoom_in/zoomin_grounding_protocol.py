"""Door for scripts: the prompt, the parser and the crop of the protocol, without ms-swift.

>>> from zoomin_grounding_protocol import build_system_prompt, execute_crop
>>> prompt = build_system_prompt(
...     instruction="Open the File menu", image_path="screenshot.png", width=1920, height=1080, max_tool_calls=3
... )

The code is in the package `zoomground`, which must be installed; this file may be copied anywhere.
"""

from zoomground.protocol.parser import parse
from zoomground.protocol.prompts import build_system_prompt
from zoomground.protocol.views import ExecutedCrop, execute_crop

__all__ = ["ExecutedCrop", "build_system_prompt", "execute_crop", "parse"]
