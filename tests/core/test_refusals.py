"""What is refused is refused in short sentences: what was found, what was expected, what to do."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
COMPOSED = re.compile(
    r"\{\}( \{\})*$|\{\} is not a \{\}\. Expected \{\}$|In the plan: "
    r"|(\{\} \{\}|Column \{\}, row \{\} \(counted from 0\)|.*): \{\}$"
)
"""Whose sentences stand elsewhere."""
FRAGMENTS = {
    "the name {} is taken",
    "how it was opened is not recorded, as for training sets, demos and scores; it can be read, but not computed again.",
}
"""What another refusal puts into its own sentence."""


def words_of(node: ast.expr) -> str | None:
    """The text of a literal with {} where something is put in; None where it is none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) if isinstance(one, ast.Constant) else "{}" for one in node.values)
    return None


def refusals() -> Iterator[tuple[str, str]]:
    """Each literal refusal of the product with its place."""
    for file in [*(ROOT / "testimate").rglob("*.py"), *(ROOT / "pages").glob("*.py")]:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call) and node.exc.args):
                continue
            if getattr(node.exc.func, "id", "") == "BadInput" and (words := words_of(node.exc.args[0])):
                yield f"{file.relative_to(ROOT)}:{node.lineno}", words


def sentences(words: str) -> list[str]:
    """Split where a stop, a question mark or a placeholder that may end in one is followed by a capital or a placeholder."""
    return [one for one in re.split(r"(?<=[.?!}])\s+(?=[A-Z{])", words.strip()) if one]


def test_every_refusal_says_what_to_do_in_a_sentence_of_its_own():
    found = [
        f"{place}: {words}"
        for place, words in refusals()
        if not COMPOSED.match(words)
        and words not in FRAGMENTS
        and (len(sentences(words)) < 2 or sentences(words)[-1].startswith("Expected"))
    ]
    assert found == []


def test_what_was_expected_is_a_sentence_of_its_own():
    assert [f"{place}: {words}" for place, words in refusals() if re.search(r"[;,] expected|must be", words)] == []


def test_the_refusals_are_found():
    assert len(list(refusals())) > 900
