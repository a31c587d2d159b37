"""Conference rooms for people in browsers and on telephones, with an agent that answers when addressed.

Audio mixing belongs in `voice.worker`.
"""
