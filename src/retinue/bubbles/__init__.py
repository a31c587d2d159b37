"""Programs of callers, each run in a bubble: bubblewrap around it, limits on it, and nothing left after it.

Tools written in Python do not belong here: `tools` runs them in worker processes.
"""
