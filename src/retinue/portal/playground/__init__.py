"""The playground: chat with the model and agents, and see the events of each answer.

Creating agents does not belong here but to `portal.agents`.
"""
