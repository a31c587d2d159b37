"""Carrying runs out: creating and claiming them, the agent loop, its tool calls, and how each run ends.

Here belongs what acts while a process holds a run. What is written is in `runs.run_journal`, which tools a model is
shown in `tool_selection`, questions to a person in `approvals`, and streams to clients in `watching`.
"""
