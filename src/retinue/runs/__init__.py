"""Runs: the agent loop, its journal, and the workers that resume a run after its process died.

The top level defines a run: its options, tables, statements, journal and API. The sub-packages act on runs:
`execution`, `approvals`, `tool_selection` and `watching`.
Starting runs for a purpose does not belong here but to `agents`, `chat`, `fleets` and `schedules`.
"""
