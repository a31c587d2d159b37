"""Language models: one protocol, and what speaks it.

When a model is asked, and with which tools, does not belong here but to `runs`.
"""
