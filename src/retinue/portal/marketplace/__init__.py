"""The marketplace: browsing, installing, and what is installed."""
