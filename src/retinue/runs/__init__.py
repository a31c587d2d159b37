"""Runs: the agent loop, its journal, and the workers that carry on where a process died."""
