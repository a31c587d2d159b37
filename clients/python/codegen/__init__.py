"""Writes the part of the client that follows from the server's OpenAPI document: its types and its methods."""
