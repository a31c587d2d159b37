"""Tool sources: import tools and manage their sources.

Reading a document or server does not belong here but to `tools.imports`.
"""
