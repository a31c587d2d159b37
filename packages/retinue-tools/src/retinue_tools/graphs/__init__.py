"""Tools of the category Graphs."""
