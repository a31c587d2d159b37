"""The trained heads that match numbers and text spans of a request to arguments of a tool.

The classifier of tools does not belong here but in `retinue.models`, because all models use it.
"""
