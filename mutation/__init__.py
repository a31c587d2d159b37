"""Mutation testing with cosmic-ray: measure which code faults the tests detect. Run it with `make mutation`."""
