"""The catalogue of executable tools: declared, compiled, searched, run in limited processes."""
