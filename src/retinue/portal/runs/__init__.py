"""One run: every turn of the model and every call of a tool, live.

Lists of runs do not belong here: an agent's page shows its own.
"""
