"""Fleets: agents that take tasks as one group.

Executing an agent's part of the work does not belong here but to `runs`.
"""
