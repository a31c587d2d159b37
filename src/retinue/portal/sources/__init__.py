"""Imported tools: where they come from.

Reading a document or a server does not belong here but to `tools.imports`.
"""
