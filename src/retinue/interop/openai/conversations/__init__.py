"""Conversations of OpenAI's API: lists of items that the server keeps, to which responses add.

They are not the conversations of chat. A client adds and deletes single items, and any model or agent may answer.
"""
