"""Select the tools that a conversation needs out of hundreds, or none; `docs/tool-selection.md` describes how.

Filling in the arguments of a tool does not belong here but to an assistant (`models.assistant`).
"""
