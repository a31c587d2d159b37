"""Tools of the category Mathematics."""
