"""The pages of voice rooms."""
