"""Runs: their list, and the model's turns and tool calls of one run, live.

Executing runs is not part of this package; see `runs.execution`.
"""
