"""Imported tools: where they come from."""
