"""Agents: their records, and putting them to work.

What happens in a run does not belong here but to `runs`, and groups of agents belong to `fleets`.
"""
