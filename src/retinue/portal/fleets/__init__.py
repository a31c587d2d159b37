"""Fleets: their members, how to deploy them, and the board of a running deployment.

The run of one member is not part of this package; see `portal.runs`.
"""
