"""The assistant for small models: it splits a message, chooses tools, fills in their arguments and words the reply.

Models that call tools by themselves do not pass through here. `assistant.Assistant` is the way in.
"""
