"""The documentation builds strictly, asks no other host, and its search finds a term, in a real browser."""

import os
import re
import subprocess
import sys
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.slow  # what the product shows does not depend on it; tests/docs runs the pages' commands
ASKED = re.compile(
    r"<(?:script|link|img|iframe|source|video|object)\b[^>]*?(?:src|href|data)=\"?((?:https?:)?//[^\"\s>]+)"
)
STYLED = re.compile(r"(?:url\(|@import)\s*[\"']?((?:https?:)?//[^\"')\s]+)")


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""


@pytest.fixture(scope="module")
def site(made_once) -> Path:
    """The site, built again; a warning of MkDocs fails the build."""

    def build(folder: Path) -> None:
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
        quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
        built = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True)
        assert built.returncode == 0, built.stderr[-3_000:]

    return made_once("site", build)


@pytest.fixture
def address(site):
    """The site, served on this computer."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_no_page_or_style_of_the_site_asks_another_host(site):
    asked = {found for page in site.rglob("*.html") for found in ASKED.findall(page.read_text(encoding="utf-8"))}
    styled = {found for page in site.rglob("*.css") for found in STYLED.findall(page.read_text(encoding="utf-8"))}
    assert asked | styled == set()
    assert len(list(site.rglob("*.html"))) > 40


@pytest.mark.parametrize(("scheme", "from_disk"), [("light", False), ("dark", True)], ids=["served", "from-disk"])
def test_pages_are_read_and_searched_without_another_host(browser, site, address, scheme, from_disk):
    address = site.as_uri() if from_disk else address
    context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
    page, elsewhere, errors = context.new_page(), [], []
    page.on("request", lambda request: elsewhere.append(request.url) if address not in request.url else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    for name in ("tutorial", "studies/pace", "glossary"):
        page.goto(f"{address}/{name}.html")
        page.locator("h1").first.wait_for(timeout=60_000)
    assert page.locator("math").count() > 20
    assert page.locator("body").get_attribute("data-md-color-scheme") == {"light": "default", "dark": "slate"}[scheme]
    page.get_by_label("Search", exact=True).first.press_sequentially("criticism")  # it listens to keys
    page.locator(".md-search-result__link").first.wait_for(timeout=60_000)
    assert [url for url in elsewhere if not url.startswith(("data:", "blob:"))] == []
    assert errors == []
    context.close()
