"""Simulations: people played by a model talk with an agent, and a judge rates each conversation.

Sound has no part in this: the conversations are chats. `retinue.voice` makes real calls.
"""
