"""Tools for the web: answers of RFCs, and read off pages that a server of the test gives."""

from retinue.sdk import Example
from retinue.tools.authoring.declare import MockResponse, MockServer

_OPML = (
    '<opml version="2.0"><head><title>A</title></head><body><outline text="X" xmlUrl="https://x.example/f"/>'
    '<outline text="F"><outline text="Y" xmlUrl="https://y.example/f" htmlUrl="https://y.example"/></outline>'
    "</body></opml>"
)
_PAGE = '<link rel="stylesheet" href="/s.css"><script src="/s.js"></script><p>Hi</p>'
_ARTICLE = f"<title>Tea</title><nav>Menu</nav><article><h1>Tea</h1>{'<p>Tea is made of leaves. ' * 20}</article>"

CALLS = [
    *(
        (
            "curl_parse_command",
            Example({"command": f"curl {options} http://a.example/"}, wanted, source="requests that curl 7.88 sent"),
        )
        for options, wanted in (
            ("-d ''", {"method": "POST", "body": ""}),
            ("-G -d a=1", {"method": "GET", "url": "http://a.example/?a=1", "body": ""}),
            (
                "--data-urlencode 'a=b c&\u00fc~=' --data-urlencode '=x y' --data-urlencode 'p q' -d z=1",
                {"method": "POST", "body": "a=b+c%26%C3%BC~%3D&x+y&p+q&z=1"},
            ),
            ("-G --data-urlencode 'a=b c'", {"method": "GET", "url": "http://a.example/?a=b+c"}),
            ("-T notes.txt", {"method": "PUT", "body": "@notes.txt"}),
            ("-T notes.txt -X POST", {"method": "POST"}),
        )
    ),
    *(
        (
            "robots_check_access",
            Example(
                {"path": path, "text": f"User-agent: *\nDisallow: {rule}"},
                {"allowed": allowed},
                source="RFC 9309, sections 2.2.2 and 2.2.3",
            ),
        )
        for rule, path, allowed in (
            ("/\u00fc/", "/%C3%BC/x", False),
            ("/%c3%bc/", "/\u00fc/x", False),
            ("/foo/bar/\u30c4", "/foo/bar/%E3%83%84", False),
            ("/foo/bar/%62%61%7A", "/foo/bar/baz", False),
            ("/file-with-a-%2A.html", "/file-with-a-*.html", False),
            ("/foo/foo-%24", "/foo/foo-$", False),
            ("/a%2Fb", "/a/b", True),
            ("/*.gif$", "/\u00fc.gif", False),
        )
    ),
    *(
        (
            "url_build_address",
            Example({"base": base, "query": {"tag": "x"}}, {"url": url}, source="by hand, after RFC 3986"),
        )
        for base, url in (
            ("https://a.example/?tag=a&tag=b", "https://a.example/?tag=x"),
            ("https://a.example/?q=%E4+b&tag=a", "https://a.example/?q=%E4+b&tag=x"),
            ("https://a.example/?flag", "https://a.example/?flag&tag=x"),
        )
    ),
    (
        "url_add_campaign",
        Example(
            {"url": "https://a.example/?utm_source=a&q=%E4&utm_source=b", "source": "x", "medium": "y"},
            {"url": "https://a.example/?utm_source=x&q=%E4&utm_medium=y"},
            source="by hand",
        ),
    ),
    *(
        ("availability_convert_downtime", Example(args, wanted, source="by hand"))
        for args, wanted in (
            ({"percent": 99.99, "period": "365-day year"}, {"downtime_minutes": 52.56}),
            ({"mtbf_hours": 99, "mttr_hours": 1}, {"availability_percent": 99.0}),
            ({"downtime_minutes": 14.4, "period": "day"}, {"availability_percent": 99.0}),
        )
    ),
    (
        "dns_lookup_address",
        Example(
            {"address": "198.51.100.7", "server": "{dns}"},
            {"question": "7.100.51.198.in-addr.arpa", "names": ["a.example.org"], "confirmed": []},
            source="RFC 1035, 3.5; the name leads elsewhere",
            servers={
                "dns": MockServer(
                    "dns", {"7.100.51.198.in-addr.arpa PTR": "a.example.org.", "a.example.org A": "192.0.2.1"}
                )
            },
        ),
    ),
    (
        "http_download_file",
        Example(
            {"url": "{site}/d", "name": "x.txt"},
            {"file": "x.txt", "bytes": len("grün".encode()), "media_type": "text/plain"},
            source="len of the encoded text",
            site={"/d": MockResponse("grün", headers={"Content-Type": "text/plain; charset=utf-8"})},
        ),
    ),
    (
        "media_type_parse",
        Example(
            {"header": "application/vnd.api+json"},
            {"type": "application", "subtype": "vnd.api+json", "suffix": "json", "charset": None},
            source="RFC 6838",
        ),
    ),
    (
        "media_type_parse",
        Example(
            {"header": "attachment; filename*=UTF-8''na%C3%AFve%20plan.txt"},
            {"value": "attachment", "parameters": {"filename": "naïve plan.txt"}},
            source="RFC 8187; urllib.parse.unquote",
        ),
    ),
    (
        "opml_list_feeds",
        Example(
            {"text": _OPML},
            {
                "title": "A",
                "total": 2,
                "feeds": [{"title": "X", "folder": ""}, {"title": "Y", "site_url": "https://y.example", "folder": "F"}],
            },
            source="read off the text",
        ),
    ),
    (
        "url_add_campaign",
        Example(
            {"url": "https://a.example/?utm_source=old&q=1", "source": "x&y", "medium": "cpc"},
            {"url": "https://a.example/?utm_source=x%26y&q=1&utm_medium=cpc"},
            source="urllib.parse.quote",
        ),
    ),
    *(
        (
            "url_build_address",
            Example({"base": "http://a/b/c/d;p?q", "path": path}, {"url": url}, source="RFC 3986, section 5.4"),
        )
        for path, url in (
            ("../../../g", "http://a/g"),
            ("g;x=1/../y", "http://a/b/c/y"),
            ("?y", "http://a/b/c/d;p?y"),
            ("//g", "http://g"),
            ("./g/.", "http://a/b/c/g/"),
        )
    ),
    *(
        ("url_parse_parts", Example({"url": url}, wanted, source="RFC 3986 and 3492"))
        for url, wanted in (
            ("http://[2001:db8::1]:8080/x", {"host": "2001:db8::1", "port": 8080, "path": "/x"}),
            ("https://münchen.de/", {"host": "münchen.de", "host_unicode": "münchen.de", "suffix": "de"}),
            ("https://a.github.io/?x=%26&y=a+b", {"query": {"x": ["&"], "y": ["a b"]}}),
        )
    ),
    (
        "web_check_links",
        Example(
            {"html": '<a href="{site}/ok">ok</a> <a href="{site}/no">no</a> <a href="mailto:a@b.example">m</a>'},
            {"checked": 2, "broken": [{"url": "{site}/no", "status": 404}], "redirected": []},
            source="the pages of the server",
            site={"/ok": MockResponse("fine")},
        ),
    ),
    (
        "web_extract_forms",
        Example(
            {"html": '<form action="/s"><input name=q value=a><input type=hidden name=t value=1></form>'},
            {
                "total": 1,
                "forms": [
                    {"action": "/s", "method": "GET", "fields": [{"name": "q", "value": "a"}, {"type": "hidden"}]}
                ],
            },
            source="the HTML standard: GET is the default",
        ),
    ),
    (
        "web_extract_tables",
        Example(
            {"html": "<table><tr><th>a<th>b<tr><td colspan=2>x</table>"},
            {"tables": [{"columns": ["a", "b"], "rows": [["x", "x"]], "row_count": 1}], "total": 1},
            source="the HTML standard, by hand",
        ),
    ),
    (
        "web_measure_page_weight",
        Example(
            {"url": "{site}/"},
            {
                "page_bytes": len(_PAGE),
                "total_bytes": len(_PAGE) + 30,
                "requests": 3,
                "by_kind": {"style": 10, "script": 20},
            },
            source="len of what is served",
            site={"/": MockResponse(_PAGE), "/s.css": MockResponse("x" * 10), "/s.js": MockResponse("y" * 20)},
        ),
    ),
    (
        "web_select_elements",
        Example(
            {"expression": "p:not(.x)", "html": "<p class=x>1</p><p id=b>2 <b>3</b></p>"},
            {"total": 1, "matches": [{"tag": "p", "text": "2 3", "attributes": {"id": "b"}}]},
            source="Selectors Level 4",
        ),
    ),
    (
        "feed_create_rss",
        Example(
            {
                "title": "T",
                "site_url": "https://a.example/",
                "entries": [{"title": "One", "url": "https://a.example/1"}],
            },
            {"file": "feed.xml"},
            source="as described",
        ),
    ),
    (
        "web_extract_article",
        Example(
            {"html": _ARTICLE},
            {"title": "Tea", "cut": False},
            source="read off the page",
        ),
    ),
]
