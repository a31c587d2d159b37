"""Agents: their records, and executing and deploying them.

Executing a run does not belong here but to `runs`; groups of agents belong to `fleets`.
"""
