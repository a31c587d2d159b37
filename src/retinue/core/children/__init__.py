"""Child processes: start, end with the parent, system call filters, and environments that they run in.

What a child does belongs to its package.
"""
