"""Tables as tools write them, made before anybody looked at the code that reads them, each with its right reading.

Of the 28, 19 were read right without a flag at first, 2 asked about, 5 refused and 2 read wrong without a word.
"""

import gzip
import io
import json
import sqlite3
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather

from testimate.core.subject import Subject
from testimate.subjects.prediction_table import read_table
from tests.tables.workbooks import workbook

SIZE = 240
RNG = np.random.default_rng(77)
BIRDS = np.array(["Amsel", "Bläßhuhn", "Grünfink", "Star"])
TRUTH = RNG.integers(0, 4, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.85, TRUTH, RNG.integers(0, 4, SIZE))
SURE = RNG.uniform(0.4, 1, SIZE).round(3)
RIGHT = float((SAID == TRUTH).mean())
TWO = RNG.integers(0, 2, SIZE)
CHANCE = np.clip(0.5 + (TWO - 0.5) * RNG.uniform(-0.4, 0.96, SIZE), 0.01, 0.99).round(3)
ROWS = range(SIZE)


@dataclass(frozen=True)
class HeldOut:
    """A file and how it is to be read.

    ``roles`` : columns of which the role is certain. ``hidden`` : columns that testers must not see. ``accuracy`` : of all
    rows, where the file holds the truth. ``asks`` : a part of the question where two readings fit. ``refuses`` : a part of the
    sentence about a file in which nothing was predicted.
    """

    name: str
    make: Callable[[], bytes]
    roles: Mapping[str, str] = field(default_factory=dict)
    hidden: Sequence[str] = ()
    accuracy: float | None = None
    asks: str = ""
    refuses: str = ""

    @cached_property
    def content(self) -> bytes:
        return self.make()

    @cached_property
    def subject(self) -> Subject:
        """As it is read by the latest rules, where nobody says more."""
        return read_table(self.content, name=self.name)


def delimited(separator: str, encoding: str, end: str = "\n", **columns: Sequence[object]) -> bytes:
    """A table of text with these columns, in the order given."""
    return pd.DataFrame(columns).to_csv(index=False, sep=separator, lineterminator=end).encode(encoding)


def with_comma(numbers: Sequence[float], digits: int = 3) -> list[str]:
    return [f"{number:.{digits}f}".replace(".", ",") for number in numbers]


def lines(records: Sequence[object]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def unicode_text_of_excel() -> bytes:
    return delimited(
        "\t",
        "utf-16",
        "\r\n",
        image_path=[f"b/{row}.jpg" for row in ROWS],
        top1=BIRDS[SAID],
        top1_conf=with_comma(100 * SURE, 1),
    )


def german_columns() -> bytes:
    columns = {
        "Datei": [f"{row}.png" for row in ROWS],
        "Vorhersage": BIRDS[SAID],
        "Sicherheit": with_comma(SURE),
        "Wahrheit": BIRDS[TRUTH],
    }
    return delimited(";", "cp1252", "\r\n", **columns)


TAGS = [sorted({"news", "sport", "art"} - {("news", "sport", "art", "")[RNG.integers(0, 4)]}) for _ in ROWS]
TAGS_SAID = [tags if RNG.random() < 0.8 else tags[:1] for tags in TAGS]


def tags() -> bytes:
    said, true = ["; ".join(RNG.permutation(one)) for one in TAGS_SAID], ["; ".join(one) for one in TAGS]
    return delimited(",", "utf-8", tags_predicted=said, tags_true=true)


def chances_by_number() -> bytes:
    chances = np.full((SIZE, 4), 0.1)
    chances[np.arange(SIZE), SAID] = 0.7
    return delimited(",", "utf-8", **{str(k): chances[:, k].round(3) for k in range(4)}, y_true=TRUTH)


def two_probabilities() -> bytes:
    return delimited(
        ",", "utf-8", y_hat=(CHANCE > 0.5).astype(int), proba_0=(1 - CHANCE).round(3), proba_1=CHANCE, y_test=TWO
    )


HOUSES = RNG.uniform(1e5, 3e6, SIZE).round(2)
ESTIMATES = (HOUSES * RNG.uniform(0.8, 1.2, SIZE)).round(2)


def euros() -> bytes:
    """Amounts as in 1.234.567,89 €."""

    def amount(number: float) -> str:
        return f"{number:,.2f} €".replace(",", "_").replace(".", ",").replace("_", ".")

    return delimited(
        ";", "utf-8-sig", predicted_price=list(map(amount, ESTIMATES)), actual_price=list(map(amount, HOUSES))
    )


def swiss_francs() -> bytes:
    return delimited(
        "\t",
        "utf-8",
        pred=[f"{number:,.2f}".replace(",", "'") for number in ESTIMATES],
        area=RNG.integers(30, 200, SIZE),
    )


def uncertainty() -> bytes:
    return delimited(
        "|",
        "utf-8",
        "\r\n",
        text=[f"a bird, {row} of them" for row in ROWS],
        pred_label=BIRDS[SAID],
        uncertainty=(1 - SURE).round(3),
    )


def lm_eval_choices() -> bytes:
    records = []
    for row in ROWS:
        best, right = (row % 4), row % 5 != 0
        resps = [[str(-1.0 if k == best else -3.0 - k), "False"] for k in range(4)]
        gold = best if right else (best + 1) % 4
        arguments = {f"gen_args_{k}": {"arg_0": f"Question {row}\nAnswer:", "arg_1": f" {'ABCD'[k]}"} for k in range(4)}
        doc = {"question": f"Question {row}", "choices": list("ABCD"), "answer": gold}
        records.append(
            {
                "doc_id": row,
                "doc": doc,
                "target": str(gold),
                "arguments": arguments,
                "resps": [[one] for one in resps],
                "filtered_resps": resps,
                "filter": "none",
                "metrics": ["acc"],
                "doc_hash": f"{row:064x}",
                "acc": float(right),
            }
        )
    return lines(records)


def inspect_parts() -> bytes:
    samples = [
        {
            "id": f"s{row}",
            "epoch": 1,
            "input": [{"role": "system", "content": "Be short."}, {"role": "user", "content": f"What is {row} + 1?"}],
            "target": [str(row + 1)],
            "output": {
                "model": "m",
                "choices": [
                    {
                        "message": {"role": "assistant", "content": [{"type": "text", "text": f"{row + 1}"}]},
                        "stop_reason": "stop",
                    }
                ],
            },
            "scores": {"includes": {"value": "C" if row % 6 else "I", "answer": str(row)}},
            "total_time": 1.5 + row,
        }
        for row in ROWS
    ]
    return json.dumps({"version": 2, "status": "success", "eval": {"task": "sums"}, "samples": samples}).encode()


def promptfoo_two_providers() -> bytes:
    results = [
        {
            "id": f"{row}-{of}",
            "provider": {"id": of},
            "prompt": {"raw": f"Say {row}", "label": "p"},
            "vars": {"n": row},
            "response": {"output": f"{row} by {of}"},
            "success": bool(row % 3),
            "score": float(bool(row % 3)),
            "latencyMs": 100 + row,
            "testIdx": row,
        }
        for row in range(120)
        for of in ("openai:gpt", "local:llama")
    ]
    return json.dumps(
        {"evalId": "eval-1", "results": {"version": 3, "results": results, "stats": {"successes": 1}}}
    ).encode()


def deepeval() -> bytes:
    cases = [
        {
            "name": f"test_{row}",
            "input": f"Question {row}",
            "actualOutput": f"Answer {row}",
            "expectedOutput": f"Answer {row % 200}",
            "success": row % 4 > 0,
            "metricsData": [
                {"name": "Answer Relevancy", "score": (row % 4) / 4, "threshold": 0.5, "success": row % 4 > 1}
            ],
            "runDuration": row / 7,
        }
        for row in ROWS
    ]
    return json.dumps({"testFile": None, "testCases": cases, "metricsScores": []}).encode()


def ragas_of_old() -> bytes:
    table = pa.table(
        {
            "question": [f"Who wrote book {row}?" for row in ROWS],
            "contexts": [[f"Book {row} has pages.", "Books have authors."] for row in ROWS],
            "answer": [f"Author {row}" for row in ROWS],
            "ground_truth": [f"Author {row}" for row in ROWS],
            "context_precision": RNG.random(SIZE),
            "answer_relevancy": RNG.random(SIZE),
        }
    )
    file = io.BytesIO()
    pyarrow.feather.write_feather(table, file)
    return file.getvalue()


def alpaca_weights() -> bytes:
    """AlpacaEval 2 gives a preference between 1 and 2, and the generators' names."""
    return json.dumps(
        [
            {
                "instruction": f"Do {row}",
                "output_1": f"one {row}",
                "generator_1": "gpt4",
                "output_2": f"two {row}",
                "generator_2": "mine",
                "dataset": "helpful_base",
                "annotator": "weighted",
                "preference": float(1 + SURE[row]),
                "time_per_example": 0.5,
                "price_per_example": 0.01,
            }
            for row in ROWS
        ]
    ).encode()


def mt_bench() -> bytes:
    records = [
        {
            "question_id": 81 + row,
            "model_a": "alpaca",
            "model_b": "vicuna",
            "winner": ("model_a", "model_b", "tie")[row % 3],
            "judge": "expert_1",
            "conversation_a": [{"content": f"Ask {row}", "role": "user"}, {"content": f"a {row}", "role": "assistant"}],
            "conversation_b": [{"content": f"Ask {row}", "role": "user"}, {"content": f"b {row}", "role": "assistant"}],
            "turn": 1,
        }
        for row in ROWS
    ]
    return lines(records)


def split_of_pandas() -> bytes:
    return (
        pd.DataFrame(
            {
                "file_name": [f"{row}.wav" for row in ROWS],
                "predicted_class": BIRDS[SAID],
                "max_prob": SURE,
                "true_class": BIRDS[TRUTH],
            }
        )
        .to_json(orient="split")
        .encode()
    )


def weka() -> bytes:
    said, true = [f"{k + 1}:{BIRDS[k]}" for k in SAID], [f"{k + 1}:{BIRDS[k]}" for k in TRUTH]
    errors = np.where(SAID == TRUTH, "", "+")
    return delimited(
        ",",
        "utf-8",
        **{"inst#": range(1, SIZE + 1), "actual": true, "predicted": said, "error": errors, "prediction": SURE},
    )


def caret() -> bytes:
    chances = np.full((SIZE, 4), 0.1)
    chances[np.arange(SIZE), SAID] = 0.7
    table = pd.DataFrame(
        {
            "pred": BIRDS[SAID],
            "obs": BIRDS[TRUTH],
            **{bird: chances[:, k] for k, bird in enumerate(BIRDS)},
            "rowIndex": RNG.permutation(SIZE) + 1,
            "Resample": [f"Fold{row % 5}" for row in ROWS],
        }
    )
    table.index += 1
    header, _, rest = table.to_csv(quoting=2).partition("\n")
    return (header.removeprefix('"",') + "\n" + rest).encode()


def labels_and_scores() -> bytes:
    """What a pipeline of classification returns: the two likeliest of four labels for each input, the likelier first."""
    records = [
        {
            "text": f"Sentence number {row}",
            "prediction": [
                {"label": BIRDS[SAID[row]], "score": float(SURE[row])},
                {"label": BIRDS[(SAID[row] + 1) % 4], "score": float(min(1 - SURE[row], SURE[row] / 2))},
            ],
            "gold": BIRDS[TRUTH[row]],
        }
        for row in ROWS
    ]
    return lines(records)


def database() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.db"
        with closing(sqlite3.connect(path)) as connection:
            table = pd.DataFrame(
                {
                    "request_id": RNG.permutation(SIZE) + 5_000,
                    "created_at": 1.7e9 + np.arange(SIZE),
                    "predicted_label": BIRDS[SAID],
                    "score": SURE,
                    "reviewed_label": BIRDS[TRUTH],
                }
            )
            table.to_sql("predictions", connection, index=False)
        return path.read_bytes()


def title_over_the_header() -> bytes:
    header = ["Image", "Predicted", "Probability", "Actual"]
    rows = [[f"{row}.png", BIRDS[SAID[row]], float(SURE[row]), BIRDS[TRUTH[row]]] for row in ROWS]
    return workbook([["Export of the birds' model, March"], [], header, *rows])


def nested_and_zipped() -> bytes:
    return gzip.compress(
        lines(
            [
                {
                    "uid": f"u{row:05}",
                    "pred": {"label": BIRDS[SAID[row]], "score": float(SURE[row])},
                    "gold": BIRDS[TRUTH[row]],
                }
                for row in ROWS
            ]
        )
    )


def prodigy_choice() -> bytes:
    return lines(
        [
            {
                "text": f"Headline {row}",
                "options": [{"id": "SPORT", "text": "Sport"}, {"id": "ART", "text": "Art"}],
                "accept": ["SPORT" if row % 2 else "ART"],
                "answer": "accept",
                "_input_hash": 10**9 - row,
            }
            for row in ROWS
        ]
    )


def speech() -> bytes:
    return lines(
        [
            {
                "audio_filepath": f"/data/{row}.wav",
                "duration": 2.5 + row / 100,
                "text": f"the number is {row}",
                "pred_text": f"the number is {row if row % 4 else row + 1}",
                "wer": 0.0 if row % 4 else 0.25,
            }
            for row in ROWS
        ]
    )


def logits() -> bytes:
    table = RNG.normal(0, 2, (SIZE, 4)).round(3)
    table[np.arange(SIZE), SAID] = 8
    return delimited(
        ";", "utf-8", id=ROWS, **{f"logit_{bird}": table[:, k] for k, bird in enumerate(BIRDS)}, prediction=BIRDS[SAID]
    )


def stars() -> bytes:
    return delimited(
        ",", "utf-8", review=[f"It was {row}, quite" for row in ROWS], pred_stars=SAID + 1, true_stars=TRUTH + 1
    )


def openai_evals() -> bytes:
    head = {"spec": {"completion_fns": ["gpt"], "eval_name": "sums"}}
    events = [
        {
            "run_id": "r",
            "event_id": row,
            "sample_id": f"sums.dev.{row}",
            "type": "match",
            "data": {
                "correct": bool(row % 5),
                "expected": str(row),
                "picked": str(row if row % 5 else 0),
                "sampled": f"It is {row}",
            },
        }
        for row in ROWS
    ]
    return lines([head, *events])


def lists_of_python() -> bytes:
    return delimited(",", "utf-8", y_pred=[str(one) for one in TAGS_SAID], y_true=[str(one[::-1]) for one in TAGS])


CHOSEN_RIGHT = float(np.mean([set(a) == set(b) for a, b in zip(TAGS_SAID, TAGS, strict=True)]))
BINARY_RIGHT = float(((CHANCE > 0.5) == TWO).mean())

HELD_OUT = (
    HeldOut(
        "birds.txt", unicode_text_of_excel, {"image_path": "file", "top1": "prediction", "top1_conf": "confidence"}
    ),
    HeldOut(
        "voegel.csv", german_columns, {"Vorhersage": "prediction", "Sicherheit": "confidence"}, ["Wahrheit"], RIGHT
    ),
    HeldOut("tags.csv", tags, {"tags_predicted": "prediction"}, ["tags_true"], CHOSEN_RIGHT),
    HeldOut("chances.csv", chances_by_number, {"0": "p_0", "y_true": "label"}, ["y_true"], RIGHT),
    HeldOut("two.csv", two_probabilities, {"y_hat": "prediction"}, ["y_test"], BINARY_RIGHT),
    HeldOut("euros.csv", euros, {"predicted_price": "prediction", "actual_price": "label"}, ["actual_price"]),
    HeldOut("francs.tsv", swiss_francs, {"pred": "prediction", "area": "score"}),
    HeldOut("unsure.psv", uncertainty, {"pred_label": "prediction", "text": "text"}),
    HeldOut(
        "samples_arc.jsonl", lm_eval_choices, {"filtered_resps": "output", "target": "reference"}, ["acc", "doc.answer"]
    ),
    HeldOut(
        "log.json",
        inspect_parts,
        {"output.choices[0].message.content": "output", "input": "input"},
        ["scores.includes.value"],
    ),
    HeldOut("promptfoo.json", promptfoo_two_providers, asks="240 rows are of 120 inputs"),
    HeldOut(
        "deepeval.json", deepeval, {"actualOutput": "output", "input": "input"}, ["success", "metricsData[0].success"]
    ),
    HeldOut(
        "ragas.feather",
        ragas_of_old,
        {"question": "input", "answer": "output", "ground_truth": "reference"},
        ["answer_relevancy"],
    ),
    HeldOut(
        "annotations.json",
        alpaca_weights,
        {"instruction": "input", "output_1": "output_a", "output_2": "output_b"},
        ["preference"],
    ),
    HeldOut("judgments.jsonl", mt_bench, {}, ["winner"]),
    HeldOut(
        "split.json",
        split_of_pandas,
        {"predicted_class": "prediction", "max_prob": "confidence"},
        ["true_class"],
        RIGHT,
    ),
    HeldOut("weka.csv", weka, {"predicted": "prediction", "prediction": "confidence"}, ["actual", "error"], RIGHT),
    HeldOut("caret.csv", caret, {"pred": "prediction", "Amsel": "p_Amsel"}, ["obs"], RIGHT),
    HeldOut("pipeline.jsonl", labels_and_scores, {}, ["gold"], RIGHT),
    HeldOut("p.db", database, {"predicted_label": "prediction", "score": "confidence"}, ["reviewed_label"], RIGHT),
    HeldOut(
        "export.xlsx",
        title_over_the_header,
        {"Predicted": "prediction", "Probability": "confidence"},
        ["Actual"],
        RIGHT,
    ),
    HeldOut(
        "nested.jsonl.gz", nested_and_zipped, {"pred.label": "prediction", "pred.score": "confidence"}, ["gold"], RIGHT
    ),
    HeldOut("prodigy.jsonl", prodigy_choice, refuses="labels that people gave in Prodigy, and no predictions"),
    HeldOut("manifest.json", speech, {"pred_text": "output", "text": "reference"}, ["wer"]),
    HeldOut("logits.csv", logits, {"prediction": "prediction"}),
    HeldOut("stars.csv", stars, {"pred_stars": "prediction"}, ["true_stars"], RIGHT),
    HeldOut(
        "record.jsonl", openai_evals, {"match.sampled": "output", "match.expected": "reference"}, ["match.correct"]
    ),
    HeldOut("python.csv", lists_of_python, {"y_pred": "prediction"}, ["y_true"], CHOSEN_RIGHT),
)
