"""Conference rooms for people in browsers and on telephones, with an agent that answers when addressed.

Audio mixing does not belong here but in `voice.worker`.
"""
