"""The settings of the reader's own user."""
