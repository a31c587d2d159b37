"""Reads values from requests with fixed rules, so that no model call is needed.

Anything that needs scores or a learned model belongs in `models.assistant`.
"""
