"""Finding tools, and trying them by a form.

Running tools does not belong here but to `tools`.
"""
