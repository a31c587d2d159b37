"""Tools of the category Data formats."""
