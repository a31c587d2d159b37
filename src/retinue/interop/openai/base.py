"""Where OpenAI's API is served."""

BASE = "/v1"
