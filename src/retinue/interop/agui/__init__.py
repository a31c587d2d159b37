"""The Agent-User Interaction Protocol (AG-UI 1.0) at `/agui/{agent_id}`, for front ends and for anonymous visitors.

A thread is a conversation that the server keeps, so only the last message of a request is read. Visitors use a
publishable key. They see texts, sources, and that a tool is used or an approval awaited; names, arguments and results
of tools, and the reasons of failures, are for the account's own credentials.
"""
