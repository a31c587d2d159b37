"""Run callers' programs in bubblewrap sandboxes with resource limits, and clean up after them.

Tools written in Python do not belong here: `tools` runs them in worker processes.
"""
