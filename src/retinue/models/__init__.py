"""Language models: one protocol and its implementations.

The decision when to call a model, and with which tools, does not belong here but in `runs`.
"""
