"""Publishable keys, by which anonymous visitors of a page chat with one agent, and the threads of their conversations.

The protocol that visitors speak belongs to `interop.agui`, the pages to `portal`.
"""
