"""Tools of the category Science."""
