"""Tools for documents and other files.

Tools that compute with tables belong to `data_analysis`, and tools for pictures and sound to `media`.
"""
