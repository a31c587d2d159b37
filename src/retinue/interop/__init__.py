"""The protocols of clients that people already have, such as OpenAI's.

Protocols start the same runs as the API under /api/v1. What an answer is, and who may have it, does not belong here.
"""
