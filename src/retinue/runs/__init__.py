"""Runs: the agent loop, its journal, and the workers that carry on where a process died.

At the top is what a run is: what was asked for (`options`), its tables and statements, its journal, and the API of
runs. Sub-packages hold what is done with it: `execution`, `approvals`, `tool_selection` and `watching`.
Who may begin a run, and what for, does not belong here but to `agents`, `chat`, `fleets` and `schedules`.
"""
