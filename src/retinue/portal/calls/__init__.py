"""The pages of telephone calls."""
