"""Who may call: users, their plans, API keys and what they may do."""
