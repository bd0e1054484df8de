"""An LLM judge of reasoning: transcripts go out as text, scores in [0, 1] or named failures come in.

`Judge` is all that a driver needs. docs/JUDGE_PROTOCOL.md says what is sent, how it is scored and what can go wrong.
Importing this package imports no SDK and opens no connection; that happens when the first verdict is asked for.

- `fence`: text of the policy as lines that cannot leave their block.
- `transcript`: an episode as text.
- `prompts`: the judge's instructions, with versions, in English and Chinese.
- `verdict`: reads a reply, strictly.
- `lines`: the endpoints, which of them is asked, which is left alone.
- `cache`: verdicts on disk.
- `judge`: a batch of episodes to opinions.
- `canaries`: episodes whose verdict is known, to see what the judge is worth.
"""

from zoomground.judge.judge import Judge
from zoomground.judge.opinion import Opinion, Source, Tally
from zoomground.judge.settings import JudgeSettings, Language
from zoomground.judge.verdict import Failure, NoVerdict

__all__ = ["Failure", "Judge", "JudgeSettings", "Language", "NoVerdict", "Opinion", "Source", "Tally"]
