"""Chat: conversations with a model, with tools and streaming."""
