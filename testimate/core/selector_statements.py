"""What a technique has to say about itself before it can be offered: checked of those that other packages bring."""

from typing import Any, get_args

from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option

TEXTS = ("name", "title", "source")


def check_statements(name: str, technique: Any) -> None:
    """BadInput with the first thing that the class does not say, or says wrongly; see ``Selector``."""
    if not isinstance(technique, type):
        raise BadInput(f"{name!r:.60} is {technique!r:.60}; expected a class. Name the class in the entry point.")
    for attribute in TEXTS:
        value = getattr(technique, attribute, None)
        if not isinstance(value, str) or not value:
            raise BadInput(f"{technique.__name__}.{attribute} is {value!r:.60}; expected text. Write some.")
    if technique.name != name:  # type: ignore[attr-defined]  # looked at above
        raise BadInput(
            f"{technique.__name__}.name is {technique.name!r:.60} and its entry point {name!r:.60}; expected the same. "  # type: ignore[attr-defined]  # as above
            "Change one."
        )
    for attribute in ("ask", "tell", "design", "remaining"):
        if not hasattr(technique, attribute):
            raise BadInput(f"{technique.__name__} has no {attribute}; expected all of Selector's. Write it.")
    said: dict[str, Any] = {
        attribute: getattr(technique, attribute, None)
        for attribute in ("needs", "claims", "adapts", "options", "variants")
    }
    known = get_args(Need)
    if not isinstance(said["needs"], tuple) or not set(said["needs"]) <= set(known):
        raise BadInput(
            f"{technique.__name__}.needs is {said['needs']!r:.80}; expected a tuple of some of {', '.join(known)}. Correct it."
        )
    if not isinstance(said["claims"], Claims) or not isinstance(said["adapts"], bool):
        raise BadInput(
            f"{technique.__name__}.claims is {said['claims']!r:.60} and adapts {said['adapts']!r:.20}; expected Claims, and "
            "True or False. Correct them."
        )
    options, variants = said["options"], said["variants"]
    if not isinstance(options, tuple) or not all(isinstance(one, Option) and one.help for one in options):
        raise BadInput(
            f"{technique.__name__}.options is {options!r:.80}; expected a tuple of Option with help. Correct it."
        )
    if not isinstance(variants, tuple) or not all(isinstance(one, str) for one in variants):
        raise BadInput(f"{technique.__name__}.variants is {variants!r:.80}; expected a tuple of names. Correct it.")
