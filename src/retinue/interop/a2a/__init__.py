"""Agent2Agent (A2A 1.0, and 0.3 by JSON-RPC) at `/a2a/{agent_id}`, for other agents and their orchestrators.

A task is a background run of the agent, and its id is that of the run. A context is a conversation. The card of an
agent says where and how to reach it; everybody can read the card of an agent that its owner shares by a page. Agents of
other systems as tools do not belong here, but to `tools.imports.a2a`.
"""
