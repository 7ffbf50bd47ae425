"""Makes Markdown of the project's docstrings: numpydoc's sections become lists, and examples code."""

import re
from typing import Any

import griffe

ENTRY = re.compile(r"^(?P<names>[\w`*][\w`*.\-]*(?:, [\w`*][\w`*.\-]*)*) : (?P<text>\S.*)$")
"""A name or several with what they are, in one line: ``size : N, a whole number.``"""

UNDERLINE = re.compile(r"^-{3,}$")
NEXT_IN_LINE = re.compile(r"(?<=\.) (?=[a-z_]\w* : )")
"""Where a line goes on with another entry."""


class PlainDocstrings(griffe.Extension):
    """Rewrites every docstring of the project before the page is made."""

    def on_instance(self, *, obj: griffe.Object | griffe.Alias, **_: Any) -> None:
        """One module, class, function or attribute."""
        if not obj.is_alias and obj.docstring:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(text: str) -> str:
    """The docstring's text with headings in bold, entries as a list, and examples as code.

    >>> print(as_markdown("Counts.\\n\\nsize : N, a number.\\nseed : any.\\n\\n>>> count(2)\\n2"))
    Counts.
    <BLANKLINE>
    - `size`: N, a number.
    - `seed`: any.
    <BLANKLINE>
    ```pycon
    >>> count(2)
    2
    ```
    """
    made: list[str] = []
    in_code = False
    for line in text.splitlines():
        if in_code:
            made += [line] if line.strip() else ["```", ""]
            in_code = bool(line.strip())
        elif line.startswith(">>>"):
            made += ["```pycon", line]
            in_code = True
        elif UNDERLINE.match(line) and made:
            made[-1:] = [f"**{made[-1]}**", ""]
        elif ENTRY.match(line):
            made += ([""] if starts_a_list(made) else []) + [item(part) for part in NEXT_IN_LINE.split(line)]
        else:
            made.append(line)
    return "\n".join([*made, "```"] if in_code else made)


def starts_a_list(before: list[str]) -> bool:
    """Whether a list begins here, which needs an empty line before it."""
    return bool(before) and bool(before[-1]) and not before[-1].startswith(("- ", "  "))


def item(entry: str) -> str:
    """An entry as a line of a list."""
    names, _, words = entry.partition(" : ")
    shown = ", ".join(f"`{name.strip('`')}`" for name in names.split(", "))
    return f"- {shown}: {words}"
