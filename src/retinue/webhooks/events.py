"""The events that webhooks emit."""

from retinue.core.events import Event


class WebhookTest(Event):
    """An endpoint was asked to prove itself: sent to that endpoint alone, whatever events it listens to."""

    event_name = "webhook.test"
    webhook_id: int
    message: str = "This is a test."
