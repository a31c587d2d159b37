"""English speech, as tools and calls both need it: what of a text is read aloud, and words with times from sound.

Live calls and their engines do not belong here but to `voice`.
"""
