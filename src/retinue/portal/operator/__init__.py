"""The operator's pages: users, the marketplace's moderation, and the server's health."""
