"""Tools of the category Security."""
