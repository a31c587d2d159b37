"""Chat: conversations with a model, with tools and streaming.

The loop that calls the model and its tools does not belong here but to `runs`.
"""
