"""OAuth: one's own apps, and what one granted to apps."""
