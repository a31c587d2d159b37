"""Agents: the list, the form to create and change one, and the page of an agent with its runs.

The page of a run is not part of this package; see `portal.runs`.
"""
