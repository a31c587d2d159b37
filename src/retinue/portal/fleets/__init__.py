"""Fleets: their members, what they are set to do, and the board of a deployment while it runs.

The run of one member does not belong here but to `portal.runs`.
"""
