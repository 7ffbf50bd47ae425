"""The small population that comes with `testimate.testing`, and how the tests of this folder run a technique on it."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from testimate.core.draw import Draw
from testimate.core.selector import Selector
from testimate.selectors import SELECTORS
from testimate.testing import build_on, make_population, run_campaign

Run = Callable[..., list[Draw]]


@pytest.fixture(scope="session")
def population() -> SimpleNamespace:
    return make_population(300, seed=20)


def build_selector(name: str, inputs: SimpleNamespace, budget: int, seed: int, **settings: Any) -> Selector:
    """The technique of that name built on these inputs."""
    return build_on(SELECTORS[name], inputs, budget, seed, **settings)


@pytest.fixture(scope="session")
def build() -> Callable[..., Selector]:
    return build_selector


@pytest.fixture(scope="session")
def run() -> Run:
    return run_campaign


@pytest.fixture(scope="session")
def make() -> Callable[..., SimpleNamespace]:
    return make_population
