"""Words that may not come back: each reads like a translation, and each has a plain English way to say it.

They are looked for in everything a person reads: the product, its programs, the documents. Only the pages that programs
write are left out, because their programs are looked through. Tests may quote a word: an old error message that a
stored project still holds, or this list.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.each import each

ROOT = Path(__file__).parents[1]

BRITISH = "write it the American way, in identifiers too"

NOT_ENGLISH = {
    r"\bneeded (?:is|are|was|were)\b": "write 'Expected ...' or 'needs ...'",
    r"foret(?:old|ell)": "write 'predict', 'expected' or 'forecast'",
    r"\b(?:hangs?|hung|hanging) on\b": "write 'depends on'",
    r"\bneeds not\b": "write 'need not' or 'does not need'",
    r"\bwhys\b": "write 'reasons'",
    r"\b(?:lay|lays|laid|laying) (?:them |it |one |these |those )?into\b": "write 'put into' or 'copy into'",
    r"\b(?:is|are|was|were|been) met\b(?! by\b)": "write 'found': 'Found Python 3.10'",
    r"\b(?:is|are|was|were|been) told\b": "write 'given' or 'set to' of programs, 'informed' or 'shown' of people",
    r"\b(?:in|into|out of) (?:one's|somebody's|someone's|their|his|her|other testers'|another's) hands\b": (
        "write 'assigned to', 'held by' or 'open for'"
    ),
    r"\bbears? (?:with|one|rows|it)\b": "write 'handles' or 'supports'",
    r"\bforegone\b": "write 'given up' or 'known in advance'",
    r"\bthereof\b": "write 'of it'",
    r"\bbeforehand\b": "write 'in advance' or 'before'",
    r"\bhitherto\b": "write 'until now'",
    r"\b(?:lie|lies|lay|lying) (?:open|bare)\b": "write 'is open': 'rounds are open'",
    r"\breckon": "write 'compute' or 'calculate'",
    r"\btells? (?:of|nobody|no)\b": "write 'reports' or 'says'",
    r"\banew\b": "write 'again'",
    r"\b(?:known|expected) (?:is|are)\b(?! not\b| None\b)": "write 'Expected one of ...'",
    r"\bin the mean\b(?! (?:of|squared|absolute|loss|error)\b)": "write 'on average'",
    r"\b(?:at most|after|of|by|less than|more than) so many\b(?! that\b)": "write 'that many'",
    r"\bmend(?:s|ed|ing)? (?:them|it|the|that)\b": "write 'correct' or 'repair'",
    r"[.,;:] label on\b": "write 'label more' or 'keep labeling'",
    r", for (?:they|it|its|there) (?:is|are|was|were|has|have|may|must|would|can)\b": "write 'because'",
    r"\bspeaks? of\b": "write 'names', 'describes' or 'refers to'",
    r"\bstands? (?:twice|once|in (?:docs/|\[|`|the (?:file|table|list|record|report)\b))": "write 'is in' or 'occurs twice'",
    r"\bmeasured nowhere\b": "write 'was not measured'",
    r"\bby whom\b": "say who does it",
    r"\b(?:is|was) no (?:csv|json|zip|plain|whole|row of|database URL|fingerprint)\b": "write 'is not a ...'",
    r"\b(?:say|says|said|saying) of\b": "write 'say about' or 'predict for'",
    r"\bat hand\b": "write 'available', 'in memory' or 'in the project'",
    r"\bsurer\b": "write 'more confident'",
    r"\b(?:to|by) who labels\b": "write 'to testers'",
    r"\b(?:may|to) stand (?:several|many) times\b": "write 'may be repeated'",
    r"\bdrawn by chance\b": "write 'drawn at random'",
    r"\bmust lie\b": "write 'Expected a number between'",
    r"\b(?:says?|said|knows?|tells?) (?:nothing|something) of\b": "write 'says nothing about'",
    r"\basked (?:are|were)\b": "write 'should', or 'the goal was'",
    r"\b(?:inputs|those) before (?:them|the (?:tester|member))\b": "write 'open inputs'",
    r"\bas (?:often|many|much) as (?:one|it) does else\b": "write 'otherwise'",
    r"\b(?:worse|better) than it seems\b": "write 'looks worse than it is', and check which way round it is",
    r"\blets? (?:one|you) expect\b": "write 'expected' or 'to be expected'",
    r"\b(?:its|your) rights\b": "write 'permissions' of files",
    r"\bexpected a sound (?:file|model)\b": "write 'an intact file': sounds are inputs here",
    r"\bthe first is 0\b": "write 'counted from 0'",
    r"\bnobody forbade\b": "write 'although it was allowed'",
    r"(?<![\"'`])(?<!mis)(?<!un)(?:colour|neighbour|behaviour|harbour|favour|centre|judgement|labell|_grey|\bgrey)": BRITISH,
    r"(?<![\"'`])(?:normalis|recognis|synchronis)": BRITISH,
}
"""Patterns, in any case and across line ends, with what to write instead.

British spelling may stand right after a quotation mark: so a word that is stored, or that another tool uses, is quoted.
"""

WRITTEN_BY_PROGRAMS = {"docs/intervals.md", "docs/reference/command-line.md", "docs/reference/techniques.md"}
KINDS = {".py", ".js", ".ts", ".css", ".html", ".md", ".toml", ".yml"}


def texts() -> Iterator[Path]:
    """The files whose words are ours: the product, research and benchmarks, the documents of the checkout."""
    yield from sorted(ROOT.glob("*.md"))
    yield from sorted(ROOT.glob("*.py"))
    yield from (ROOT / "mkdocs.yml", ROOT / "pyproject.toml")
    for room in ("testimate", "pages", "research", "benchmarks", "docs"):
        for path in sorted((ROOT / room).rglob("*")):
            name = path.relative_to(ROOT).as_posix()
            written = name in WRITTEN_BY_PROGRAMS or name.startswith("docs/studies/")
            if path.suffix in KINDS and "__pycache__" not in path.parts and not written:
                yield path


def always_there(pattern: str) -> str:
    """The longest word that every match has, in small letters; "" where it is not plain which."""
    of_all, groups = re.sub(r"\\.|\[[^]]*\]|\w\?", " ", pattern), 1
    while groups:
        of_all, groups = re.subn(r"\([^()]*\)\??", " ", of_all)
    assert not set("()|*+?[]") & set(of_all), f"{pattern} cannot be read here"
    return max(re.findall("[a-z]+", of_all), key=len, default="")


ALWAYS_THERE = {pattern: always_there(pattern) for pattern in NOT_ENGLISH}
"""A text without that word is not searched: looking for a word takes a hundredth of the time."""


def findings(text: str) -> Iterator[tuple[int, str, str]]:
    """Line, words as they stand and what to write instead, for each place of a text that uses such a word."""
    small = text.lower()
    for pattern, instead in NOT_ENGLISH.items():
        if ALWAYS_THERE[pattern] not in small:
            continue
        spaced = pattern.replace(" ", r"(?:\s|\"\s*f?\"|\n\s*(?:#|//|\*)\s?)+")
        for found in re.finditer(spaced, text, re.IGNORECASE):
            yield text.count("\n", 0, found.start()) + 1, " ".join(found[0].split()), instead


def test_no_word_of_the_list_is_in_the_product_or_the_documents():
    found = [
        f"{path.relative_to(ROOT)}:{line}: {words!r}: {instead}"
        for path in texts()
        for line, words, instead in sorted(findings(path.read_text(encoding="utf-8")))
    ]
    assert not found, f"{len(found)} places:\n" + "\n".join(found)


def test_the_words_are_looked_for_in_every_room():
    names = {path.relative_to(ROOT).as_posix() for path in texts()}
    rooms = {path.name for path in (ROOT / "testimate").iterdir() if any(path.glob("*.py"))}
    assert rooms, "the package has rooms"
    assert rooms <= {name.split("/")[1] for name in names if name.startswith("testimate/")}
    assert {"README.md", "CONTRIBUTING.md", "app.py", "docs/tutorial.md"} <= names
    assert any(name.startswith("docs/decisions/001") for name in names)
    assert not any(name.startswith("docs/studies/") for name in names)


@each(
    ("text", "words"),
    [
        ("Needed is a number.", "Needed is"),
        ('raise BadInput("... needed "\n    f"is one of")', 'needed " f"is'),
        ("# the result hangs\n# on the seed", "hangs # on"),
        ("lay them into the folder", "lay them into"),
        ("Python 3.10 was met", "was met"),
        ("the numbers it foretells", "foretell"),
        ("def near_neighbours(gray)", "neighbour"),
    ],
)
def test_a_word_is_found_in_any_case_and_across_the_lines_of_a_sentence(text, words):
    assert [found[1] for found in findings(text)] == [words]


@each(
    "text",
    [
        "What is needed: is it there?",
        "the condition is met by every design",
        "tell(verdicts)",
        "It bears out what the paper says.",
        "the needed island",
        'STORED_AS = {"colors": "colours"}',
    ],
)
def test_good_english_is_left_alone(text):
    assert not list(findings(text))
