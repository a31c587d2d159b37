"""Runs: their list, and the model's turns and tool calls of one run, live."""
