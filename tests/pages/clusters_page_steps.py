"""What the tests of the Clusters page do on it: read it, press a button, wait for its words."""

import re
import time

from streamlit.testing.v1 import AppTest

from testimate.project.cluster_settings import ClusterSettings

ALL_NOISE = ClusterSettings("LHL", 700, 4, "none")


def said(test: AppTest) -> str:
    parts = [*test.markdown, *test.caption, *test.info, *test.warning, *test.error, *test.header, *test.subheader]
    return re.sub(r"\\(?=[!-/:-@\[-`{-~])", "", "\n".join(str(part.value) for part in parts))


def written(settings: ClusterSettings) -> str:
    return ",".join(str(value) for value in vars(settings).values())


def press(test: AppTest, label: str) -> None:
    next(button for button in test.button if button.label == label).click().run()
    assert not test.exception


def settled(test: AppTest, words: str) -> AppTest:
    """The page once it says these words, however slow the machine."""
    deadline = time.monotonic() + 60
    while words not in said(test):
        assert time.monotonic() < deadline
        time.sleep(0.05)  # between two looks
        test.run()
        assert not test.exception
    return test
