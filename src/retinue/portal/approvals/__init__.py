"""Approvals: tool calls that await a person's decision.

Applying a decision to the run is not part of this package; see `runs`.
"""
