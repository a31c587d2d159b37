"""Fleets: agents that take tasks as one group.

What one agent does with its part does not belong here but to `runs`.
"""
