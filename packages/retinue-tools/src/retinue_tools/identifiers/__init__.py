"""Tools of the category Identifiers."""
