"""The one layer in front of every request: its id, its caller, its limits, and the errors it may end in."""
