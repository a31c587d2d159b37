"""Voice: speech engines, and the environment that their libraries and models are installed in."""
