"""The first page: what is going on, what has been used, and what to do next."""
