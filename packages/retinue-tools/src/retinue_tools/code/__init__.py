"""Tools of the category Code."""
