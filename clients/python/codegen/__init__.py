"""Generates the parts of the client that follow from the server's OpenAPI document: its types and its methods."""
