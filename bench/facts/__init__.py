"""Facts of people in eight languages, each with a question in other words, and how many of the questions find them."""
