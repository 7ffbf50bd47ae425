"""Escaped text in a real browser: Streamlit shows the letters that were given, and nothing else."""

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
MADE = "img, a, script, b, em, strong, del, code, pre, h1, h2, hr, ul, ol, blockquote, table, sup, .katex, "
MADE += ".stMarkdownColoredText, .stMarkdownBadge, .stMarkdownSmall, [role=img]"


def hostile_texts() -> list[str]:
    tree = ast.parse((HERE / "untrusted_text_app.py").read_text())
    return next(ast.literal_eval(node.value) for node in tree.body if isinstance(node, ast.Assign))


@pytest.fixture(scope="module")
def app(run_app):
    return run_app(HERE / "untrusted_text_app.py")


def elements(page, url, texts):
    """By place, the elements that hold the text, once all are drawn."""
    page.goto(url)
    page.wait_for_selector(f".st-key-text-{len(texts) - 1} [data-testid=stCheckbox]")
    page.wait_for_timeout(1500)  # LaTeX and emoji load their own code before they are drawn
    return [page.locator(f".st-key-text-{place}") for place in range(len(texts))]


def test_hostile_markdown_is_shown_letter_by_letter_in_every_element(app, page):
    texts = hostile_texts()
    for text, element in zip(texts, elements(page, app.url, texts), strict=True):
        wanted = " ".join(text.split())
        assert element.inner_text().replace("\u2060", "").count(wanted) == 5, text
        assert element.locator(MADE).count() == 0, text


@pytest.mark.slow
def test_unescaped_the_same_texts_do_become_pictures_links_and_colors(app, browser):
    context = browser.new_context()
    page = context.new_page()
    asked: list[str] = []
    page.route("https://evil.example/**", lambda route: (asked.append(route.request.url), route.abort()))
    texts = hostile_texts()
    made = [element.locator(MADE).count() > 0 for element in elements(page, f"{app.url}/?raw=1", texts)]
    context.close()
    assert sum(made) >= 12
    assert "https://evil.example/leak.png" in asked
