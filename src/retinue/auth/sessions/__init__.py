"""Sessions: the tokens that signing in gives, and how one becomes a caller."""
