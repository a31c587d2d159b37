"""Carrying runs out: creating and claiming them, the agent loop, its tool calls, and how each run ends.

Here belongs what acts while a process holds a run. Choosing tools does not belong here but to `tool_selection`,
questions to a person to `approvals`, streams to clients to `watching`, and writing to `runs.run_journal`.
"""
