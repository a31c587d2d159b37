"""Run execution: creating and claiming runs, the agent loop, its tool calls, and ending each run.

Code that acts while a process holds a run belongs here. Choosing tools belongs to `tool_selection`, approval requests
to `approvals`, streams for clients to `watching`, and journal writes to `runs.run_journal`.
"""
