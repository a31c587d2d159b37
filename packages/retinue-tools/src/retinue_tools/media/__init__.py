"""Tools of the category Media."""
