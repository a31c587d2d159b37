"""Tool sources: import tools and manage their sources.

Reading a document or server is not part of this package; see `tools.imports`.
"""
