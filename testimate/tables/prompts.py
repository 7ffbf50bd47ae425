"""Outputs of several prompts side by side, as promptfoo writes them in a CSV: the names of a prompt's columns."""

import re
from bisect import bisect
from collections.abc import Collection, Sequence

OUTPUT, SUCCESS = ".output", ".success"
"""Ends of the names of what a model answered to a prompt, and of whether that passed."""

REPEATED = ("status", "score", "named scores")
"""Names of the columns after each output."""

GRADERS = (".named scores", ".grader reason", ".comment")
"""Ends of the names of what a grader said, which may tell whether an output passed."""

AFTER_OUTPUT = {"status", *REPEATED, *(name.removeprefix(".") for name in GRADERS)}
"""Names of the columns after the output of a single prompt."""


def with_names_of_prompts(names: Sequence[str]) -> list[str]:
    """Return the names, those that repeat for each of several prompts behind the prompt's.

    >>> of_one = ["Status", "Score", "Named Scores"]
    >>> with_names_of_prompts(["question", "[a] x", *of_one, "[b] x", *of_one])[:4]
    ['question', '[a] x.output', '[a] x.success', '[a] x.Score']
    """
    folded = [name.casefold() for name in names]
    heads = [place for place in range(len(names)) if folded[place + 1 : place + 4] == [*REPEATED]]
    if len(heads) < 2:
        return [*names]
    found = [*names[: heads[0]]]
    for place, name in enumerate(names[heads[0] :], start=heads[0]):
        head = heads[bisect(heads, place) - 1]
        end = {head: OUTPUT, head + 1: SUCCESS}.get(place, f".{name}")
        found.append(names[head] + end)
    return found


def outputs_of_prompts(names: Collection[str]) -> dict[str, str]:
    """Return the output of each of several prompts in a table, and whether it passed; empty of a single prompt."""
    heads = [name.removesuffix(OUTPUT) for name in names if name.endswith(OUTPUT)]
    found = {head + OUTPUT: head + SUCCESS for head in heads if head.startswith("[") and head + SUCCESS in names}
    return found if len(found) > 1 else {}


def output_of_prompt(names: Sequence[str]) -> str:
    """Return the column of the outputs of a table's only prompt, which its provider begins and a verdict follows; else "".

    >>> output_of_prompt(["question", "[openai:gpt-4o] Say {{n}}", "Status", "Score", "Named Scores"])
    '[openai:gpt-4o] Say {{n}}'
    """
    folded = [name.casefold() for name in names]
    heads = [name for place, name in enumerate(names) if folded[place + 1 : place + 4] == [*REPEATED]]
    return heads[0] if len(heads) == 1 and heads[0].startswith("[") else ""


VARIABLE = re.compile(r"\{\{-?\s*(\w+)")
"""A variable in the template of a prompt."""


def put_in_prompt(output: str, names: Collection[str]) -> list[str]:
    """Return the columns whose cells were put in the prompt by which an output is called, in its order.

    >>> put_in_prompt("[openai:gpt-4o] Say {{ n }} in {{lang | upper}}.output", ["lang", "n", "must"])
    ['n', 'lang']
    """
    return [name for name in dict.fromkeys(VARIABLE.findall(output)) if name in names]


def beside_output(chosen: str, outputs: Collection[str], names: Collection[str]) -> dict[str, str]:
    """Return the columns that no tester may see beside the output that is judged, and why."""
    of_it, others = (
        tuple(one.removesuffix("output") for one in outputs if (one == chosen) == wanted) for wanted in (True, False)
    )
    graded = {
        name: "what its grader said" for name in names if name.startswith(of_it) and name.casefold().endswith(GRADERS)
    }
    return graded | {name: "of another prompt" for name in names if name.startswith(others)}
