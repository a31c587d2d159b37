"""The do-not-call list of each account. Calls to its numbers are refused."""
