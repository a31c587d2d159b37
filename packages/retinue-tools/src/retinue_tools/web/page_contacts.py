"""How to reach the owner of a page."""

import re
from typing import Annotated
from urllib.parse import unquote

import phonenumbers
from lxml import etree
from typing_extensions import TypedDict

from retinue.sdk import About, Example, Refusal, Served, tool
from retinue_tools.web._pages import Html, PageUrl, host_of, once_each, page_of, text_of

_EMAIL = re.compile(r"[A-Za-z0-9._%+-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}")
_SOCIAL = {
    "facebook.com": "Facebook",
    "instagram.com": "Instagram",
    "linkedin.com": "LinkedIn",
    "x.com": "X",
    "twitter.com": "X",
    "youtube.com": "YouTube",
    "tiktok.com": "TikTok",
    "github.com": "GitHub",
    "gitlab.com": "GitLab",
    "mastodon.social": "Mastodon",
    "bsky.app": "Bluesky",
    "threads.net": "Threads",
    "pinterest.com": "Pinterest",
    "xing.com": "XING",
    "wa.me": "WhatsApp",
    "t.me": "Telegram",
}


class Profile(TypedDict):
    """A profile in a social network."""

    network: Annotated[str, About("Name of the network")]
    url: Annotated[str, About("Address of the profile")]


class Contacts(TypedDict):
    """How to reach the owner of a page."""

    emails: Annotated[list[str], About("E-mail addresses, at most 200")]
    phones: Annotated[list[str], About("Telephone numbers in international form, at most 200")]
    profiles: Annotated[list[Profile], About("Profiles in social networks, at most 200")]
    addresses: Annotated[list[str], About("What the page marks as an address, at most 20")]


@tool(
    tags="contacts email phone telephone social media profiles address page scrape",
    use_when=(
        "What is the e-mail address on https://example.com/contact?",
        "Find the phone numbers and social links of this page.",
        "How can I reach this company by its website?",
    ),
    examples=(
        Example(
            {
                "html": '<a href="mailto:Info@example.org?subject=Hi">write</a> or sales@example.com, call '
                '<a href="tel:+442079460000">us</a> or 030 901820. <a href="https://github.com/example">code</a>'
                "<address>1 High Street</address>",
                "region": "DE",
            },
            {
                "emails": ["info@example.org", "sales@example.com"],
                "phones": ["+44 20 7946 0000", "+49 30 901820"],
                "profiles": [{"network": "GitHub", "url": "https://github.com/example"}],
                "addresses": ["1 High Street"],
            },
            source="the text itself; ITU-T E.123 for the form of the numbers",
        ),
        Example(
            {"url": "{site}/"},
            {"emails": [], "phones": [], "profiles": []},
            source="the page names none",
            site={"/": Served("<p>Nothing here: a@b, 12 34</p><script>x@example.com</script>")},
        ),
        Refusal({"html": "<p>x", "region": "Germany"}, "region must"),
    ),
    open_world=True,
    pace="normal",
)
def web_extract_contacts(
    url: PageUrl = None,
    html: Html = None,
    region: Annotated[
        str | None,
        About("Country of telephone numbers without a country code", "DE", pattern="^[A-Z]{2}$", max_length=2),
    ] = None,
) -> Contacts:
    """Collect e-mail addresses, telephone numbers, social profiles and postal addresses that a page shows.

    Use it to find out how to reach somebody. Numbers without a country code are found only with a region.
    """
    page = page_of(url, html)
    links = [element.get("href").strip() for element in page.root.xpath("//a[@href]")]
    mails = [unquote(link[7:].partition("?")[0]) for link in links if link.lower().startswith("mailto:")]
    etree.strip_elements(page.root, "script", "style", "noscript", with_tail=False)
    text = text_of(page.root)[:300_000]
    mails = [mail for link in mails for mail in _EMAIL.findall(link)] + _EMAIL.findall(text)
    calls = " ; ".join(unquote(link[4:]) for link in links if link.lower().startswith("tel:"))
    found = [*phonenumbers.PhoneNumberMatcher(calls, region), *phonenumbers.PhoneNumberMatcher(text, region)]
    style = phonenumbers.PhoneNumberFormat.INTERNATIONAL
    networks = {link: _SOCIAL.get(host_of(link).removeprefix("www."), "") for link in links}
    profiles: list[Profile] = [{"network": name, "url": link} for link, name in networks.items() if name]
    return {
        "emails": once_each(mail.lower() for mail in mails)[:200],
        "phones": once_each(phonenumbers.format_number(match.number, style) for match in found)[:200],
        "profiles": profiles[:200],
        "addresses": once_each(text_of(element)[:500] for element in page.root.iter("address"))[:20],
    }
