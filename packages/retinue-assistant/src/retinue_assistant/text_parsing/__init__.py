"""Reads and rewrites values in requests with fixed rules, so that no model call is needed.

Code that needs scores or a learned model does not belong here but in `retinue_assistant.heads`.
"""
