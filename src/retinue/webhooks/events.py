"""The events of webhooks."""

from retinue.core.work.events import Event


class WebhookTest(Event):
    """A test event. It is sent only to the endpoint under test, regardless of its list of events."""

    event_name = "webhook.test"
    webhook_id: int
    message: str = "This is a test."
