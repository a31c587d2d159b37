"""Approvals: the tool calls that wait for a person."""
