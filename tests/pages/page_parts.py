"""What lies on a page that AppTest has run, as Streamlit would send it to a browser."""

from collections.abc import Iterator
from typing import Any

from streamlit.testing.v1 import AppTest

from testimate.ui.switcher import OPEN


def sent(test: AppTest) -> Iterator[Any]:
    """The message of every container and element of the page's main part; None where there is none."""
    waiting = [test.main]
    while waiting:
        block = waiting.pop()
        waiting += getattr(block, "children", {}).values()
        yield block.proto


def with_key(test: AppTest, key: str) -> list[Any]:
    """The messages of what was given that key, which Streamlit writes at the end of their identity."""
    return [message for message in sent(test) if getattr(message, "id", "").endswith(f"-{key}")]


def switcher_opened(test: AppTest) -> AppTest:
    """The page with the list of test sets and sessions open, which a browser opens by its button."""
    test.session_state[OPEN] = True
    return test.run()


def reveal_truth(test: AppTest, *, shown: bool = True) -> AppTest:
    """Turns the switch of the truth, which stands in that list."""
    return switcher_opened(test).toggle(key="reveal the truth").set_value(shown).run()
