"""Generates the parts of the TypeScript client that follow from the server's OpenAPI document: types and methods."""
