"""OpenAI's API at /v1: Chat Completions and the list of models."""
