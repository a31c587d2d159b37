"""Tools of the category Date and time."""
