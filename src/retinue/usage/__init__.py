"""Usage: what each account used, counted as it happens, and the limits of its plan."""
