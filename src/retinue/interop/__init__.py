"""The protocols of clients that people already have. They stand for the same operations as the API under /api/v1."""
