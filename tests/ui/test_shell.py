"""A page that is opened before app.py has run comes by Streamlit's own navigation, and is run again by app.py."""

from types import SimpleNamespace

import pytest
from streamlit.runtime.pages_manager import PagesManager

from testimate.ui import shell


def arriving_by(monkeypatch, *scripts):
    """A run whose navigation lists these scripts; gives the list that each rerun is added to."""
    pages = {str(place): {"script_path": script} for place, script in enumerate(scripts)}
    context = SimpleNamespace(pages_manager=SimpleNamespace(get_pages=lambda: pages))
    monkeypatch.setattr(shell, "get_script_run_ctx", lambda: context)
    monkeypatch.setattr(PagesManager, "uses_pages_directory", True)
    reruns: list[bool] = []
    monkeypatch.setattr(shell.st, "rerun", lambda: reruns.append(True))
    return reruns


def test_where_app_py_is_listed_as_a_page_the_folder_is_given_up_and_the_app_runs_anew(monkeypatch):
    reruns = arriving_by(monkeypatch, "/somewhere/app.py", "/somewhere/pages/plan.py")
    shell.leave_streamlits_own_navigation()
    assert PagesManager.uses_pages_directory is False
    assert len(reruns) == 1


@pytest.mark.parametrize("scripts", [(), ("/somewhere/pages/plan.py", "/somewhere/pages/label.py")])
def test_the_navigation_of_app_py_is_left_as_it_is(monkeypatch, scripts):
    reruns = arriving_by(monkeypatch, *scripts)
    shell.leave_streamlits_own_navigation()
    assert PagesManager.uses_pages_directory is True
    assert reruns == []
