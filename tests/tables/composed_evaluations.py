"""Evaluations of language models composed at random of pieces that people keep, whose maker knows what each column is."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from tests.tables.workbooks import workbook

PROSE = """the cat of small river house went over bridge when rain stopped nobody saw water boils at high pressure while copper
conducts heat through metal pipes france borders spain treaty was signed after long war plants use light"""
WORDS = PROSE.split()

NAMES = {
    "question": "question prompt query user_input problem task pregunta customer_message ticket ask request_text",
    "output": "answer response output completion model_answer generated_text bot said gpt4 candidate reply Ausgabe",
    "truth": "reference ground_truth expected_answer gold answer solution human_answer official_answer key Referenz",
    "reason": "judge_reason explanation grader_output feedback critique verdict_text judge_response why",
    "rewrite": "corrected_answer improved_response edited_output better_answer rewrite",
    "verdict": "is_correct passed human_verdict match result success label outcome second_opinion",
    "rating": "human_rating score quality stars Accuracy_(1-5) overall",
    "sure": "judge_confidence verdict_confidence annotator_certainty grader_confidence",
    "call": "latency_ms total_tokens runtime speed cost_usd n_tokens",
    "context": "contexts retrieved_contexts documents chunks passage",
    "thinking": "reasoning thinking scratchpad trace",
    "raw": "raw_response api_response full_output",
    "key": "question_id uid example_id",
    "group": "category topic question_type domain",
}
"""What people call each piece, and a few names that nobody foresaw."""

MAY_BE = {
    "question": {"input", "text", "shown"},
    "output": {"output", "prediction"},
    "truth": {"reference", "label", ""},
    "verdict": {"outcome", "label", ""},
    "rating": {"label", "judge", "score", ""},
    "context": {"shown", ""},
    "rewrite": {"reference", ""},
    "call": {"row number", ""},
    "key": {"row number", "shown", ""},
    "group": {"shown", "group", ""},
}
"""The roles that each piece may have, "" for none; of any other piece none."""

WORDINGS = (("True", "False"), ("1", "0"), ("yes", "no"), ("correct", "incorrect"), ("Pass", "Fail"))


class Piece(NamedTuple):
    """A column, and what its maker knows it to be."""

    name: str
    kind: str
    cells: list[object]

    @property
    def may_be(self) -> set[str]:
        """The roles that the column may have."""
        return MAY_BE.get(self.kind, {""})


def composed(seed: int) -> list[Piece]:
    """An evaluation of 6 to 100 rows: a question, an output, mostly what is right, and up to three other pieces."""
    rng = np.random.default_rng(seed)
    rows = int(rng.choice([6, 8, 12, 30, 40, 100]))
    style = rng.choice(["snake", "snake", "Title", "UPPER", "camel"])
    right = rng.random(rows) < 0.7

    def some(few: int, many: int) -> list[str]:
        return [" ".join(rng.choice(WORDS, rng.integers(few, many))).capitalize() + "." for _ in range(rows)]

    truth, said = some(5, 12), some(12, 25)
    made: dict[str, Callable[[], Sequence[object]]] = {
        "question": lambda: [f"{text[:-1]}?" for text in some(6, 12)],
        "output": lambda: [f"{one} {two}" if well else two for one, two, well in zip(truth, said, right, strict=True)],
        "truth": lambda: truth,
        "reason": lambda: some(10, 20),
        "rewrite": lambda: [text if rng.random() < 0.5 else "" for text in some(12, 20)],
        "verdict": lambda: np.where(right, *WORDINGS[rng.integers(len(WORDINGS))]).tolist(),
        "rating": lambda: np.clip(rng.normal(2 + 2 * right, 1), 1, 5).astype(int).tolist(),
        "sure": lambda: rng.uniform(0.5, 1, rows).round(2).tolist(),
        "call": lambda: rng.integers(40, 900, rows).tolist(),
        "context": lambda: [json.dumps([one, two]) for one, two in zip(some(12, 20), some(12, 20), strict=True)],
        "thinking": lambda: some(20, 30),
        "raw": lambda: [json.dumps({"id": f"c{row}", "choices": [{"text": text}]}) for row, text in enumerate(said)],
        "key": lambda: range(rows),
        "group": lambda: rng.choice(["math", "law", "art"], rows).tolist(),
    }
    further = rng.choice([*made][3:], rng.integers(0, 4), replace=False).tolist()
    kinds = ["question", "output", *(["truth"] if rng.random() < 0.8 else []), *further]
    pieces = [Piece(_styled(str(rng.choice(_names(kind))), str(style)), kind, [*made[kind]()]) for kind in kinds]
    known = {piece.name.casefold(): piece for piece in reversed(pieces)}
    pieces = [piece for piece in pieces if known[piece.name.casefold()] is piece]
    return pieces if rng.random() < 0.4 else [pieces[place] for place in rng.permutation(len(pieces))]


def _names(kind: str) -> list[str]:
    return NAMES[kind].split()


def _styled(name: str, style: str) -> str:
    parts = name.split("_")
    titles = [part[:1].upper() + part[1:] for part in parts]
    styles = {"Title": " ".join(titles), "UPPER": name.upper(), "camel": "".join([parts[0], *titles[1:]])}
    return styles.get(style, name)


def written(pieces: Sequence[Piece], seed: int, folder: Path) -> Path:
    """The evaluation as a file, of another form for each seed."""
    table = pd.DataFrame({piece.name: piece.cells for piece in pieces})
    records = json.loads(table.to_json(orient="records"))
    forms: list[tuple[str, Callable[[], str | bytes]]] = [
        ("csv", lambda: table.to_csv(index=False)),
        ("jsonl", lambda: "\n".join(map(json.dumps, records))),
        ("json", lambda: json.dumps({"model": "m", "results": records})),
        ("xlsx", lambda: workbook([[*table.columns], *table.to_numpy().tolist()])),
    ]
    ending, content = forms[seed % len(forms)]
    path, made = folder / f"{seed}.{ending}", content()
    path.write_bytes(made if isinstance(made, bytes) else made.encode())
    return path
