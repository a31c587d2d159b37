"""Files: uploaded once, then read by their owner, by tools and by models."""
