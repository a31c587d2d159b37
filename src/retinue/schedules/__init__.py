"""Schedules: cron expressions and single dates that run an agent or deploy a fleet, each due time exactly once.

The work that a schedule starts does not belong here but to `runs` and `fleets`.
"""
