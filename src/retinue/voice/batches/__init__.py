"""Batches of calls: an agent calls a list of recipients, at a pace, within a window, with retries.

A single call does not belong here but in `voice.calls`.
"""
