"""Share an agent: its page for everyone with the link, and the script tag for a site."""
