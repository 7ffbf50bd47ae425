"""Checks every link, picture and anchor of the built site: `python docs/site/check_links.py build/site`."""

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit


class _Page(HTMLParser):
    """What a page links to, and the anchors it has."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keeps the targets and the names of anchors."""
        for name, value in attrs:
            if value is None:
                continue
            if name in ("id", "name"):
                self.anchors.add(value)
            elif name in ("href", "src") and (tag, name) != ("base", "href"):
                self.links.append(value)


def broken_links(site: Path) -> list[str]:
    """ "PAGE: TARGET" of each link to a file or anchor of the site that is not there; other hosts are not asked."""
    pages = {page: _read(page) for page in sorted(site.rglob("*.html"))}
    broken = []
    for page, read in pages.items():
        for link in read.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or page.name == "404.html":
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page.resolve()
            target = target / "index.html" if target.is_dir() else target
            there = pages.get(target) or pages.get(site / _inside(target, site))
            anchor = unquote(parts.fragment)
            if not target.exists() or (anchor and there is not None and not _has(there, anchor)):
                broken.append(f"{page.relative_to(site)}: {link}")
    return broken


def _read(page: Path) -> _Page:
    read = _Page()
    read.feed(page.read_text(encoding="utf-8"))
    return read


def _inside(target: Path, site: Path) -> Path:
    return target.relative_to(site.resolve()) if target.is_relative_to(site.resolve()) else target


def _has(page: _Page, anchor: str) -> bool:
    return (
        anchor in page.anchors or re.fullmatch(r"__\w+|:~:.*", anchor) is not None
    )  # the theme's own, and text to find


if __name__ == "__main__":
    found = broken_links(Path(sys.argv[1]))
    print(*found, f"{len(found)} broken links", sep="\n")
    sys.exit(bool(found))
