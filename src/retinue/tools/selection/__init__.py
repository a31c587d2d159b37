"""Tool selection: which tools of hundreds a conversation needs, or none. `docs/tool-selection.md` describes it.

Filling in the arguments of a tool does not belong here but to `models.assistant`.
"""
