"""The assistant for small models: splits a message, chooses tools, fills in their arguments and writes the reply.

Models with native tool calling do not use this package. The server finds `plugin` by its entry point.
"""
