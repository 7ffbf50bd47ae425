"""What MkDocs calls while it builds the site: adds the changes, and draws the formulas."""

from pathlib import Path

from formulas import drawn
from made_pages import changes
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ALONE = {"index.md": ["navigation"], "tutorial.md": ["navigation"], "glossary.md": ["navigation", "toc"]}
"""Pages that are a tab of their own, and what is left out beside them: pictures and wide tables need the room."""


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Every decision there is and the changes close the navigation."""
    decisions = sorted(Path(config.docs_dir, "decisions").glob("0*.md"))
    pages = ["decisions/README.md", *(f"decisions/{one.name}" for one in decisions)]
    config.nav += [{"Decisions": pages}, {"Changes": "changes.md"}]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds CHANGELOG.md as a page."""
    files.append(File.generated(config, "changes.md", content=changes()))
    return files


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Pages that are a tab of their own have no list of pages beside them."""
    page.meta["hide"] = ALONE.get(page.file.src_uri, [])
    return markdown


def on_page_content(html: str, **_: object) -> str:
    """The page's HTML with its formulas drawn."""
    return drawn(html)
