"""Finding tools, and trying them by a form."""
