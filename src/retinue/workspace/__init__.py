"""The workspace: what an account keeps on the platform, and its tools and agents share."""
