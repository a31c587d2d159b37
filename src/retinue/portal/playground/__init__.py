"""Talking to the model and to agents, with the events of each answer beside it.

Making agents does not belong here but to `portal.agents`.
"""
