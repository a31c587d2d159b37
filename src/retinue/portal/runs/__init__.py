"""Runs: the model's turns and tool calls of one run, live.

Lists of runs do not belong here: an agent's page shows its own.
"""
