"""Tools: search them and try them with a form.

Running tools does not belong here but to `tools`.
"""
