"""Pages of what agents remember."""
