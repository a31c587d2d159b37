"""The events of webhooks."""

from pydantic import Field

from retinue.core.work.events import Event


class WebhookTest(Event):
    """A test event. It is sent only to the endpoint under test, regardless of its list of events."""

    event_name = "webhook.test"
    webhook_id: int = Field(description="ID of the endpoint under test.", examples=[1])
    message: str = Field("This is a test.", description="A fixed text.", examples=["This is a test."])
