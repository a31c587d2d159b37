"""The tools themselves, a package for each category. Only worker processes and the compiler import them."""
