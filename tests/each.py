"""One sentence over many cases: one test, which names every case that does not hold, where parametrize makes a test of each."""

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest

Test = Callable[..., None]


def each(names: str | Sequence[str], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Runs a test once over all cases, written and stacked as ``pytest.mark.parametrize`` is; all run, also after a failure.

    For cases that say the same of many things and need nothing of their own: fixtures are made once and shared, so that
    ``parametrize`` stays where a case changes what a fixture made, or takes seconds that another worker could share.
    """
    names = tuple(name.strip() for name in names.split(",")) if isinstance(names, str) else tuple(names)
    given = [dict(zip(names, (case,) if len(names) == 1 else case, strict=True)) for case in cases]
    assert given, "there is no case, so this test could not fail"

    def decorate(test: Test) -> Test:
        of, inner = getattr(test, "of_each", (test, [{}]))
        product = [outer | one for outer in given for one in inner]

        @functools.wraps(of)
        def run(subtests: pytest.Subtests, **made: Any) -> None:
            for case in product:
                with subtests.test(**{name: f"{value!r:.80}" for name, value in case.items()}):
                    of(**case, **made)

        fixtures = [one for name, one in inspect.signature(of).parameters.items() if name not in product[0]]
        own = inspect.Parameter("subtests", inspect.Parameter.POSITIONAL_OR_KEYWORD)
        run.__signature__ = inspect.Signature([own, *fixtures])  # type: ignore[attr-defined]  # functions take attributes; pytest reads this one
        run.of_each = (of, product)  # type: ignore[attr-defined]  # read where it is stacked
        return run

    return decorate
