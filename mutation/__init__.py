"""Mutation testing with cosmic-ray: which faults in the code the tests notice. `make mutation` runs it."""
