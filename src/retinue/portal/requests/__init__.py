"""The request log, live."""
