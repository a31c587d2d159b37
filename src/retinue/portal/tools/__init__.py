"""Tools: search them and try them with a form.

Running tools is not part of this package; see `tools`.
"""
