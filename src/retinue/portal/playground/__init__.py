"""The playground: chat with the model and agents, and see the events of each answer.

Creating agents is not part of this package; see `portal.agents`.
"""
