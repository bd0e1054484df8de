"""zoomground: GUI grounding policies that look again.

One environment (`zoomground.environment.GroundingEnv`), several drivers: the trainer's scheduler, the evaluator, the
client, the proxy and a person at the keyboard.
"""

__version__ = "0.1.0"
