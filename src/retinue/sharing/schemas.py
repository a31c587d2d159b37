"""Request and response schemas of publishable keys."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from retinue.core.http.envelope import EMPTY_IF_NULL, IGNORED, Body, Changes, Id, Timestamp, View, absent
from retinue.sharing.origins import parse_origin

MOST_ORIGINS = 20

Name = Annotated[str, Field(max_length=100, description="Name of the key, such as the site that uses it.")]
Origin = Annotated[str, Field(max_length=300), AfterValidator(parse_origin)]
Origins = Annotated[
    list[Origin],
    Field(
        max_length=MOST_ORIGINS,
        description="Origins of the pages that may use the key, such as `https://shop.example`. Requests from other "
        "pages are refused.",
    ),
]
PageEnabled = Annotated[
    bool, Field(description="Whether the page `/c/{agent_id}?key=…` of this server is open to everyone with the link.")
]
AcceptsFiles = Annotated[bool, Field(description="Whether visitors can attach files to their messages.")]
DailyMessages = Annotated[
    int, Field(ge=1, le=1_000_000, description="Maximum number of messages of all visitors per day (UTC).")
]
VisitorDailyMessages = Annotated[
    int, Field(ge=1, le=10_000, description="Maximum number of messages of one visitor per day (UTC).")
]


class AppearanceInput(Body):
    """How the widget and the page look. Attributes of the script tag take precedence."""

    title: Annotated[str, Field(max_length=60, description="Title. By default, the name of the agent.")] | None = None
    subtitle: Annotated[str, Field(max_length=100, description="Line below the title.")] | None = None
    greeting: (
        Annotated[str, Field(max_length=1000, description="First words. By default, the greeting of the agent.")] | None
    ) = None
    suggestions: (
        Annotated[
            list[Annotated[str, Field(min_length=1, max_length=100)]],
            Field(max_length=4, description="Questions that a visitor can send with a click."),
        ]
        | None
    ) = Field(default=[])
    color: (
        Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$", description="Colour of the button, such as `#1b6753`.")]
        | None
    ) = None
    theme: Annotated[Literal["auto", "light", "dark"], Field(description="Colour scheme.")] | None = Field("auto")
    position: Annotated[Literal["right", "left"], Field(description="Corner of the page.")] | None = Field("right")


class PublishableKeyCreate(Body):
    """Request body for creating a publishable key."""

    agent_id: Id = Field(description="ID of the only agent that the key opens.")
    name: Name | None = Field("")
    origins: Origins | None = Field(default=[])
    page_enabled: PageEnabled | None = Field(True)
    accepts_files: AcceptsFiles | None = Field(False)
    daily_messages: DailyMessages | None = Field(500)
    visitor_daily_messages: VisitorDailyMessages | None = Field(50)
    appearance: AppearanceInput | None = Field(
        default_factory=AppearanceInput, description="How the widget and the page look."
    )


class PublishableKeyUpdate(Changes):
    """Fields to update."""

    name: Annotated[Name | None, EMPTY_IF_NULL] = Field(default_factory=absent)
    origins: Origins = Field(default_factory=absent)
    page_enabled: PageEnabled = Field(default_factory=absent)
    accepts_files: AcceptsFiles = Field(default_factory=absent)
    daily_messages: DailyMessages = Field(default_factory=absent)
    visitor_daily_messages: VisitorDailyMessages = Field(default_factory=absent)
    appearance: AppearanceInput = Field(default_factory=absent, description="How the widget and the page look.")
    id: object = IGNORED
    agent_id: object = Field(default_factory=absent, description="Ignored. Create another key for another agent.")
    key: object = IGNORED
    created_at: object = IGNORED
    expires_at: object = IGNORED
    successor_id: object = IGNORED
    last_used_at: object = IGNORED
    messages_today: object = IGNORED
    messages: object = IGNORED
    conversations: object = IGNORED


class PublishableKeyRotate(Body):
    """Request body for rotating a publishable key."""

    overlap_days: int | None = Field(0, ge=0, le=7, description="Number of days for which the old key keeps working.")


class AppearanceView(View):
    """How the widget and the page look. Attributes of the script tag take precedence."""

    title: str | None = Field(description="Title; null for the name of the agent.")
    subtitle: str | None = Field(description="Line below the title.")
    greeting: str | None = Field(description="First words; null for the greeting of the agent.")
    suggestions: list[str] = Field(description="Questions that a visitor can send with a click.")
    color: str | None = Field(description="Colour of the button.")
    theme: Literal["auto", "light", "dark"] = Field(description="Colour scheme.")
    position: Literal["right", "left"] = Field(description="Corner of the page.")


class PublishableKeyView(View):
    """A publishable key. It is not a secret: it is in the source of a page."""

    id: int = Field(description="ID of the key.")
    agent_id: int = Field(description="ID of the only agent that the key opens.")
    key: str = Field(description="The key.")
    name: str = Field(description="Name of the key.")
    origins: list[str] = Field(description="Origins of the pages that may use the key.")
    page_enabled: bool = Field(description="Whether the page of this server is open to everyone with the link.")
    accepts_files: bool = Field(description="Whether visitors can attach files.")
    daily_messages: int = Field(description="Maximum number of messages of all visitors per day (UTC).")
    visitor_daily_messages: int = Field(description="Maximum number of messages of one visitor per day (UTC).")
    appearance: AppearanceView = Field(description="How the widget and the page look.")
    messages_today: int = Field(description="Number of messages of visitors today (UTC).")
    messages: int = Field(description="Number of messages of visitors.")
    conversations: int = Field(description="Number of conversations of visitors.")
    created_at: Timestamp = Field(description="Time at which the object was created.")
    expires_at: Timestamp | None = Field(description="Time at which the key stops working; null means never.")
    successor_id: int | None = Field(description="ID of the key that replaced this one in a rotation.")
    last_used_at: Timestamp | None = Field(description="Time of the last message of a visitor.")


class PublishableKeyDeleted(View):
    """ID of the deleted object."""

    id: int = Field(description="ID of the key.")
    deleted: Literal[True]
