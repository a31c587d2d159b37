"""Tools of the category Web."""
