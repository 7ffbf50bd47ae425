"""The colors, symbols and dashes every chart draws with, chosen so that color-blind people can tell them apart."""

from dataclasses import dataclass

FAILED = "#D55E00"
RIGHT = "#009E73"
CHOSEN = "#0072B2"
UNLABELED = "#66707A"
"""The roles, in the colors of Okabe and Ito (2008): vermillion, bluish green, blue; they hold on light and dark.

The gray is a bluish one, as a neutral gray looks like the green to people with deutan sight.
"""

SYMBOLS = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "x")
"""Seven symbols against twenty hues: no two of the first 140 groups share both."""

SYMBOL_SCALE = {"diamond": 1.2, "triangle-up": 1.4, "triangle-down": 1.4, "cross": 1.2, "x": 1.1}
"""What a symbol's size is multiplied by to look as large as a circle."""

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")


@dataclass(frozen=True)
class Shades:
    """The colors of one theme; every line color has a contrast of at least 3:1 with ``background``.

    ``hues`` : twenty, found by a max-min search over sRGB in CIE Lab as people with normal, deutan and protan sight see
        them (the matrices of Machado, Oliveira and Fernandes 2009), the first twelve farthest apart. None is near
        vermillion, which means failed.
    ``scale`` : cividis (Nunez, Anderton and Renslow 2018) cut so that low values stand out from the background.
    """

    background: str
    panel: str
    text: str
    muted: str
    grid: str
    noise: str
    estimate: str
    hues: tuple[str, ...]
    scale: tuple[str, ...]


LIGHT = Shades(
    background="#FFFFFF",
    panel="#FFFFFF",
    text="#262730",
    muted="#5F6470",
    grid="#E8EAED",
    noise="#C8CCD0",
    estimate=CHOSEN,
    hues=(
        *("#0072B2", "#CC7755", "#006655", "#662266", "#889900", "#EE0077", "#4499AA", "#775500", "#AA77FF", "#771122"),
        *("#0055DD", "#551199", "#AA1199", "#885533", "#009988", "#0066CC", "#0099CC", "#990044", "#AA3388", "#772200"),
    ),
    scale=("#00224E", "#123570", "#3B496C", "#575D6D", "#707173", "#8A8678", "#A59C74", "#C3B369", "#E1CC55"),
)

DARK = Shades(
    background="#0E1117",
    panel="#1B1F27",
    text="#FAFAFA",
    muted="#A3A8B4",
    grid="#262B35",
    noise="#4B5058",
    estimate="#56B4E9",
    hues=(
        *("#56B4E9", "#E69F00", "#55FF99", "#EE6699", "#BBAA55", "#6666AA", "#CCEE66", "#AA6655", "#00DDDD", "#557700"),
        *("#BBEECC", "#0088FF", "#66CC88", "#CC1177", "#5599EE", "#7755CC", "#55AAAA", "#55DDFF", "#AA7744", "#9988BB"),
    ),
    scale=("#FEE838", "#E1CC55", "#C3B369", "#A59C74", "#8A8678", "#707173", "#575D6D", "#3B496C"),
)


def shades(dark: bool) -> Shades:
    """The colors of the dark or the light theme."""
    return DARK if dark else LIGHT


def faint(color: str, opacity: float) -> str:
    """A ``#RRGGBB`` color as ``rgba()`` with the given opacity, 0..1.

    >>> faint("#0072B2", 0.25)
    'rgba(0, 114, 178, 0.25)'
    """
    red, green, blue = (int(color[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red}, {green}, {blue}, {opacity:g})"


def hue(place: int, *, dark: bool) -> str:
    """The hue of the cluster, class or technique at that place (0 and up); twenty, then again from the first."""
    hues = shades(dark).hues
    return hues[place % len(hues)]


def symbol(place: int) -> str:
    """The marker symbol of the cluster, class or technique at that place (0 and up)."""
    return SYMBOLS[place % len(SYMBOLS)]


def dash(place: int) -> str:
    """The dash of the line at that place (0 and up)."""
    return DASHES[place % len(DASHES)]
