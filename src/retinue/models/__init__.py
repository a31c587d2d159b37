"""Language models: one protocol, and what speaks it."""
