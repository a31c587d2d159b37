"""Conference rooms: people in browsers and on telephones, and an agent that answers when it is addressed.

Mixing their sound does not belong here but to `voice.worker`.
"""
