"""Chat: conversations with a model, with tools and streaming.

The loop that asks the model and runs tools does not belong here but to `runs`.
"""
