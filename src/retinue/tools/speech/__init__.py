"""English speech, as tools and calls both need it: what of a text is read aloud, and words with times from sound."""
