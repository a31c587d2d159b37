"""OpenAI's API at /v1: Chat Completions, Responses and the list of models.

Only the shapes of requests, answers and errors belong here.
"""
