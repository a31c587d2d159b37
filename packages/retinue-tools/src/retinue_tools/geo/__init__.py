"""Tools of the category Geography."""
