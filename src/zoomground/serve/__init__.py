"""The zoom loop as a proxy: chat completions with a screenshot and an instruction in, one point out.

A client that knows nothing of crops talks to the proxy as to the model's own endpoint. Behind it stand the environment
and the endpoint policy of `zoomground.rollout`; here is only the translation: a request into a question, an episode
into a completion, faults into the errors that OpenAI's clients know.
"""
