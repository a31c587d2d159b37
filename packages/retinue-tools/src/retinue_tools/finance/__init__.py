"""Tools of the category Finance."""
