"""What the command palette offers on a page: pages and actions at once, sessions and demos once it is opened."""

import json

from testimate.core.selector import Request
from tests.pages.page_parts import with_key


def offered(test) -> set[str]:
    """The identities of the commands that the page hands to the palette."""
    [component] = with_key(test, "the command palette")
    return {one["id"] for one in json.loads(component.json)["commands"]}


def test_sessions_and_demos_join_the_pages_once_the_palette_is_opened(opened, project):
    session = project.start_session("digits", Request("srs", budget=5, seed=1)).session_record.id
    test = opened("strata", subject="digits")
    assert {"page plan", "page label", "act tour", "act sessions"} <= offered(test)
    assert f"session {session}" not in offered(test)
    test.session_state["palette opened"] = True
    test.run()
    assert {"page plan", f"session {session}", "demo digits", "demo glyphs"} <= offered(test)
