"""Who may call: users, their plans, API keys and what they may do.

What limits a caller, such as rates, does not belong here but to `gate`, and what they used to `usage`.
"""
