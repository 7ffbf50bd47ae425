"""The check of the built site's links finds what leads nowhere, and nothing else."""

import sys
from importlib import import_module

import yaml

from tests.docs.pages import DOCS, ROOT


def test_links_to_missing_files_and_anchors_are_found(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "site"))
    broken_links = import_module("check_links").broken_links
    (tmp_path / "in").mkdir()
    (tmp_path / "a.html").write_text(
        '<h2 id="one">1</h2><a href="#one">x</a><a href="#two">x</a><a href="in/b.html#b">x</a><a href="in/c.html">x</a>'
        '<img src="p.png"><a href="https://example.org/none">x</a><a href="in/b.html#none">x</a>'
    )
    (tmp_path / "in" / "b.html").write_text('<p id="b"><a href="../a.html#one">x</a></p>')
    assert broken_links(tmp_path) == ["a.html: #two", "a.html: in/c.html", "a.html: p.png", "a.html: in/b.html#none"]
    sys.modules.pop("check_links")


def test_the_citation_names_this_version():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert f'version = "{cited["version"]}"' in (ROOT / "pyproject.toml").read_text()
    assert {"cff-version", "message", "title", "authors"} <= set(cited)
