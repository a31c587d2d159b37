"""Approvals: tool calls that await a person's decision.

Applying a decision to the run does not belong here but to `runs`.
"""
