"""Anthropic's Messages API at /v1/messages.

Only the shapes of requests, answers and errors belong here.
"""
