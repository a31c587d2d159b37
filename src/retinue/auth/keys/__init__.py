"""API keys: their form, their records, and how a key becomes a caller."""
