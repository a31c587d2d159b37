"""Runs: the agent loop, its journal, and the workers that carry on where a process died.

Who may begin a run, and what for, does not belong here but to `agents`, `chat`, `fleets` and `schedules`.
"""
