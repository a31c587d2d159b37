"""Approvals: the tool calls that wait for a person.

What a decision does to the run does not belong here but to `runs`.
"""
