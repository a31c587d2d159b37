"""The compiled catalogue: its file, look-up by name and filter, and validation of arguments.

It also holds the tools of one source, which an account imported or an operator added. The ranking of
tools for a question belongs to `tools.selection`, and the reading of sources to `tools.imports`.
"""
