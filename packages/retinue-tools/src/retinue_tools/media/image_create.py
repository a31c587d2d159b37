"""Creation of pictures: backgrounds, placeholders, avatars, social cards, drawings."""

import hashlib
import math
from typing import Annotated, Any, Literal

from PIL import Image, ImageDraw
from typing_extensions import TypedDict

from retinue.sdk import About, Example, File, Refusal, ToolError, tool
from retinue_tools.media._pictures import Color, Picture, Side, blank, font, format_of, keep, rgba, upright
from retinue_tools.media._samples import FILE, look_at_pixel, paint

_WHITE = {FILE: paint(40, 30, lambda x, y: "ffffff")}


@tool(
    tags="image create gradient plain solid background color canvas wallpaper",
    use_when=(
        "Create a 1920 by 1080 gradient from navy to teal.",
        "I need a plain white image of 500 x 500.",
        "Make a radial gradient background.",
    ),
    examples=(
        Example(
            {"width": 3, "height": 1, "start": "black", "end": "white"},
            {"width": 3, "height": 1, "format": "png"},
            source="by hand: half way from 0 to 255 is 127.5",
            then=(look_at_pixel(0, 0, "#000000"), look_at_pixel(1, 0, "#808080"), look_at_pixel(2, 0, "#ffffff")),
        ),
        Example(
            {"width": 5, "height": 2, "start": "#123456", "direction": "down"},
            {"width": 5, "height": 2},
            source="without an end the colour is plain",
            then=(look_at_pixel(4, 1, "#123456"),),
        ),
        Refusal(
            {"width": 16000, "height": 16000, "start": "red"},
            "The image would have 16000 x 16000 pixels; the maximum is 40,000,000",
        ),
    ),
    reply="The picture of {width} x {height} pixels: {file}",
    memory_mb=1024,
)
def image_create_gradient(
    width: Side,
    height: Side,
    start: Color,
    end: Annotated[str | None, About("Second colour; without it the image is plain", "#004d7a", max_length=40)] = None,
    direction: Annotated[Literal["right", "down", "radial"], About("Direction of the gradient")] = "right",
) -> Picture:
    """Create a plain image, or one with a gradient between two colours, linear or from the middle outwards.

    Use it for backgrounds, banners and test pictures. Returns a PNG.
    """
    first, last = rgba(start), rgba(end or start)
    blank(width, height)
    if direction == "radial":
        ramp = Image.radial_gradient("L").resize((width, height), Image.Resampling.BICUBIC)
    else:
        length = width if direction == "right" else height
        steps = bytes(round(255 * step / max(1, length - 1)) for step in range(length))
        ramp = Image.frombytes("L", (length, 1) if direction == "right" else (1, length), steps)
        ramp = ramp.resize((width, height), Image.Resampling.NEAREST)
    bands = [ramp.point([round(a + (b - a) * v / 255) for v in range(256)]) for a, b in zip(first, last, strict=True)]
    clear = min(first[3], last[3]) < 255
    return keep("gradient", Image.merge("RGBA" if clear else "RGB", bands if clear else bands[:3]), "png")


def _readable(ground: tuple[int, ...]) -> tuple[int, int, int]:
    """Return black or white, depending on the contrast with a colour by its luma (ITU-R BT.601)."""
    luma = 0.299 * ground[0] + 0.587 * ground[1] + 0.114 * ground[2]
    return (0, 0, 0) if luma > 140 else (255, 255, 255)


def _fitting(text: str, width: float, height: float) -> Any:
    """Return the font in which a text fits into a box."""
    pen, size = ImageDraw.Draw(Image.new("L", (1, 1))), max(4.0, height)
    left, top, right, bottom = pen.multiline_textbbox((0, 0), text, font(100))
    widest, tallest = max(1, right - left), max(1, bottom - top)
    return font(max(4.0, min(size, 100 * width / widest, 100 * height / tallest)))


@tool(
    tags="image placeholder dummy mockup size box text wireframe",
    use_when=(
        "Create a 600x400 placeholder image.",
        "I need a grey dummy picture with the text 'Coming soon'.",
        "Make a placeholder banner of 728 by 90.",
    ),
    examples=(
        Example(
            {"width": 60, "height": 40},
            {"width": 60, "height": 40, "file": "placeholder.png"},
            source="the ground is the default colour",
            then=(look_at_pixel(0, 0, "#cccccc"),),
        ),
        Example(
            {"width": 40, "height": 60, "text": "I", "color": "#000080"},
            {"width": 40},
            source="on a dark ground the stem of a centred capital I is white",
            then=(look_at_pixel(20, 30, "#ffffff"), look_at_pixel(0, 0, "#000080")),
        ),
        Refusal({"width": 0, "height": 40}, "width"),
    ),
    reply="The placeholder of {width} x {height} pixels: {file}",
    memory_mb=1024,
)
def image_create_placeholder(
    width: Side,
    height: Side,
    text: Annotated[str | None, About("Text; default: the size", "Coming soon", max_length=100)] = None,
    color: Color = "#cccccc",
) -> Picture:
    """Create a placeholder picture of a size, with its dimensions or a text in the middle.

    Use it in mock-ups and tests. Returns a PNG.
    """
    ground = rgba(color)
    image = blank(width, height, ground)
    words = text or f"{width} x {height}"
    ImageDraw.Draw(image).multiline_text(
        (width / 2, height / 2),
        words,
        _readable(ground),
        _fitting(words, width * 0.7, height * 0.4),
        anchor="mm",
        align="center",
    )
    return keep("placeholder", image if ground[3] < 255 else image.convert("RGB"), "png")


class Avatar(Picture):
    """A default avatar."""

    text: Annotated[str, About("Initials, or empty")]


class Card(Picture):
    """A picture for link previews."""

    lines: Annotated[list[str], About("Title with its line breaks")]


@tool(
    tags="avatar initials identicon profile picture user icon default",
    use_when=(
        "Make an avatar with the initials of Ada Lovelace.",
        "Generate an identicon for user 4711.",
        "Create a default profile picture.",
        "Profile picture with my initials",
    ),
    examples=(
        Example(
            {"name": "Ada Lovelace", "size": 64, "color": "#aa0000"},
            {"width": 64, "height": 64, "text": "AL"},
            source="the first letters of the first and the last name",
            then=(look_at_pixel(1, 1, "#aa0000"),),
        ),
        Example(
            {"name": "user-4711", "style": "identicon", "size": 60},
            {"width": 60, "text": ""},
            source="an identicon has no letters and a light ground",
            then=(look_at_pixel(0, 0, "#f0f0f0"),),
        ),
        Refusal({"name": "  "}, "letter"),
    ),
    reply="The avatar for {args.name}: {file}",
)
def avatar_create_picture(
    name: Annotated[str, About("Name of the person or account", "Ada Lovelace", min_length=1, max_length=200)],
    style: Annotated[
        Literal["initials", "identicon"], About("Initials on a colour, or a symmetric pattern")
    ] = "initials",
    size: Annotated[int, About("Side length in pixels", minimum=16, maximum=2048)] = 256,
    color: Annotated[str | None, About("Colour; default: derived from the name", "#1e90ff", max_length=40)] = None,
) -> Avatar:
    """Create a square default avatar from a name: its initials on a colour, or a symmetric pattern (identicon).

    The same name always gives the same picture. Use it for accounts without a picture. Returns a PNG.
    """
    digest = hashlib.sha256(name.strip().encode("utf-8", "surrogatepass")).digest()
    drawn = tuple(64 + part // 2 for part in digest[:3])
    ink = rgba(color)[:3] if color else (drawn[0], drawn[1], drawn[2])
    if style == "identicon":
        return {**keep("avatar", _identicon(digest[3:], ink, size), "png"), "text": ""}
    words = [word for word in name.split() if word[0].isalnum()]
    if not words:
        raise ToolError("The name has no word that begins with a letter or digit. Give another name.")
    text = "".join(word[0].upper() for word in (words if len(words) == 1 else [words[0], words[-1]]))
    image = Image.new("RGB", (size, size), ink)
    face = _fitting(text, size * 0.6, size * 0.4)
    ImageDraw.Draw(image).text((size / 2, size / 2), text, _readable(ink), face, anchor="mm")
    return {**keep("avatar", image, "png"), "text": text}


def _identicon(digest: bytes, ink: tuple[int, ...], size: int) -> Any:
    """Draw five by five cells, of which the right two columns mirror the left two, with a margin of half a cell."""
    image = Image.new("RGB", (size, size), (240, 240, 240))
    pen, cell = ImageDraw.Draw(image), size / 6
    for place in range(15):
        column, row = divmod(place, 5)
        if digest[place] % 2:
            for across in {column, 4 - column}:
                left, top = cell * (across + 0.5), cell * (row + 0.5)
                pen.rectangle((round(left), round(top), round(left + cell) - 1, round(top + cell) - 1), fill=ink)
    return image


@tool(
    tags="social card open graph og image twitter share preview banner blog title",
    use_when=(
        "Create an Open Graph image for my blog post 'How tides work'.",
        "Make a 1200x630 share card with title and subtitle.",
        "I need a preview picture for links to my page.",
    ),
    examples=(
        Example(
            {"title": "How tides work", "subtitle": "A short guide", "color": "#003366"},
            {"width": 1200, "height": 630, "file": "social-card.png", "lines": ["How tides work"]},
            source="The Open Graph protocol's common size; the title fits one line",
            then=(look_at_pixel(0, 0, "#003366"),),
        ),
        Example(
            {"title": "word " * 12, "size": "square"},
            {"width": 1080, "height": 1080},
            source="the size of a square post",
        ),
        Refusal({"title": "x", "color": "?"}, "color"),
    ),
    reply="The card of {width} x {height} pixels: {file}",
)
def image_create_social_card(
    title: Annotated[str, About("Headline", "How tides work", min_length=1, max_length=200)],
    subtitle: Annotated[str, About("Subtitle", max_length=200)] = "",
    size: Annotated[Literal["wide", "square"], About("1200 x 630 or 1080 x 1080 pixels")] = "wide",
    color: Color = "#1f2a44",
    accent: Color = "#f4b942",
) -> Card:
    """Create the picture that social networks show for a link: title and subtitle on a colour with an accent bar.

    Use it for og:image of pages and posts. The title is wrapped to at most five lines. Returns a PNG of the usual size.
    """
    width, height = (1200, 630) if size == "wide" else (1080, 1080)
    ground = rgba(color)
    image = Image.new("RGB", (width, height), ground[:3])
    pen, ink = ImageDraw.Draw(image), _readable(ground)
    lines, letters = _headline(title, width - 160)
    pen.rectangle((80, height * 0.2, 200, height * 0.2 + 12), fill=rgba(accent)[:3])
    top = height * 0.2 + 48
    for line in lines:
        pen.text((80, top), line, ink, font(letters))
        top += letters * 1.25
    pen.text((80, top + 24), subtitle, ink, font(36))
    return {**keep("social-card", image, "png"), "lines": lines}


def _headline(title: str, width: int) -> tuple[list[str], int]:
    """Return the lines of a title and the font size at which they are at most five."""
    for letters in (80, 64, 52, 40):
        lines = _wrap(title.split() or [title], font(letters), width)
        if len(lines) <= 5:
            break
    return lines[:5], letters


def _wrap(words: list[str], face: Any, width: int) -> list[str]:
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".strip()
        if not lines[-1] or face.getlength(longer) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


class Shape(TypedDict):
    """A shape to draw between two points, in pixels."""

    kind: Annotated[Literal["box", "ellipse", "line", "arrow", "text"], About("Kind of shape")]
    x1: Annotated[int, About("Left edge or start", 10, minimum=-20_000, maximum=20_000)]
    y1: Annotated[int, About("Top edge or start", 10, minimum=-20_000, maximum=20_000)]
    x2: Annotated[int, About("Right edge or end; ignored for text", 90, minimum=-20_000, maximum=20_000)]
    y2: Annotated[int, About("Bottom edge or end; ignored for text", 60, minimum=-20_000, maximum=20_000)]
    text: Annotated[str, About("Text to write, or empty", "Here", max_length=200)]


@tool(
    tags="image draw annotate box arrow line ellipse label highlight screenshot",
    use_when=(
        "Draw a red box around the button in this screenshot.",
        "Add an arrow from 10,10 to 80,60 with a label.",
        "Mark the defect in the photo with a circle.",
    ),
    examples=(
        Example(
            {
                "file": FILE,
                "shapes": [{"kind": "box", "x1": 5, "y1": 5, "x2": 30, "y2": 20, "text": ""}],
                "color": "#ff0000",
                "line_width": 1,
            },
            {"width": 40, "height": 30},
            source="by hand: the outline passes the corner, the inside stays",
            files=_WHITE,
            then=(look_at_pixel(5, 5, "#ff0000"), look_at_pixel(30, 20, "#ff0000"), look_at_pixel(15, 12, "#ffffff")),
        ),
        Example(
            {
                "file": FILE,
                "shapes": [{"kind": "arrow", "x1": 0, "y1": 15, "x2": 39, "y2": 15, "text": ""}],
                "color": "blue",
            },
            {"width": 40},
            source="by hand: the shaft lies on row 15",
            files=_WHITE,
            then=(look_at_pixel(10, 15, "#0000ff"), look_at_pixel(10, 2, "#ffffff")),
        ),
        Refusal(
            {"file": FILE, "shapes": [{"kind": "text", "x1": 0, "y1": 0, "x2": 0, "y2": 0, "text": ""}]},
            "text",
            files=_WHITE,
        ),
    ),
    reply="The picture with the drawing: {file}",
    memory_mb=1024,
)
def image_draw_shapes(
    file: File,
    shapes: Annotated[
        list[Shape],
        About(
            "Shapes to draw, in order",
            [{"kind": "box", "x1": 10, "y1": 10, "x2": 90, "y2": 60, "text": "Here"}],
            min_items=1,
            max_items=200,
        ),
    ],
    color: Color = "#e00000",
    line_width: Annotated[int, About("Line width in pixels", minimum=1, maximum=100)] = 3,
    text_size: Annotated[int, About("Font size in pixels", minimum=6, maximum=500)] = 18,
) -> Picture:
    """Draw boxes, ellipses, lines, arrows and labels on an image.

    Use it to mark things in screenshots and photos; boxes, ellipses and lines may have a text at their start. Returns
    the marked image as a file.
    """
    source, ink = upright(file), rgba(color)
    layer = Image.new("RGBA", source.size)
    pen, face = ImageDraw.Draw(layer), font(text_size)
    for shape in shapes:
        if shape["kind"] == "text" and not shape["text"].strip():
            raise ToolError("A shape of the kind text needs a text.")
        _draw(pen, shape, ink, line_width)
        if shape["text"]:
            above = shape["kind"] != "text"
            pen.text(
                (shape["x1"], shape["y1"] - line_width * above),
                shape["text"],
                ink,
                face,
                anchor="ld" if above else "la",
            )
    canvas = Image.alpha_composite(source.convert("RGBA"), layer)
    return keep("marked", canvas if source.mode == "RGBA" else canvas.convert("RGB"), format_of(source))


def _draw(pen: Any, shape: Shape, ink: tuple[int, ...], width: int) -> None:
    start, end = (shape["x1"], shape["y1"]), (shape["x2"], shape["y2"])
    box = (min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1]))
    if shape["kind"] == "box":
        pen.rectangle(box, outline=ink, width=width)
    elif shape["kind"] == "ellipse":
        pen.ellipse(box, outline=ink, width=width)
    elif shape["kind"] in ("line", "arrow"):
        pen.line((start, end), ink, width)
        if shape["kind"] == "arrow":
            pen.polygon(_head(start, end, 4 * width), ink)


def _head(start: tuple[int, int], end: tuple[int, int], length: float) -> list[tuple[float, float]]:
    """Return the corners of an arrow head, with sides at 25 degrees to the shaft."""
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    wings = (angle + math.radians(155), angle - math.radians(155))
    return [end, *((end[0] + length * math.cos(wing), end[1] + length * math.sin(wing)) for wing in wings)]
