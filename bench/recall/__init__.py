"""Questions about documents in five languages, and how many of them find their passage."""
