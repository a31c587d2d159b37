"""English speech for tools and calls: which parts of a text are read aloud, and words with times from sound.

Live calls and their engines do not belong here but to `voice`.
"""
