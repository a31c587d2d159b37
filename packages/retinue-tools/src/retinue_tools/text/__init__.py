"""Tools of the category Text."""
