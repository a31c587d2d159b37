"""Tools of the category Statistics."""
