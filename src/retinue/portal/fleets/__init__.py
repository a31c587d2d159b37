"""Fleets: their members, how to deploy them, and the board of a running deployment.

The run of one member does not belong here but to `portal.runs`.
"""
