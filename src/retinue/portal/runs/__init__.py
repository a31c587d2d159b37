"""One run: every turn of the model and every call of a tool, live."""
