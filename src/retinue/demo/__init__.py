"""A demo that can be loaded and removed: an agent that answers from guides, a conversation with it, and a schedule.

The records are ordinary ones with a mark, so the demo has no table. The reply in the conversation is not part of the
package: the account's default model gives it when the demo is loaded.
"""
