"""Tools for documents and other files."""
