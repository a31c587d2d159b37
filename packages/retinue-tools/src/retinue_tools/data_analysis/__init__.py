"""Tools of the category Data analysis."""
