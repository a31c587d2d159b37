"""Tools for documents and other files.

Tables that are computed with do not belong here but to `data_analysis`, pictures and sound to `media`.
"""
