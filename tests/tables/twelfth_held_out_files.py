"""Ten more tables, written after the rules of the eleventh set, each with its right reading before anything read it.

At first five were read right and one without its input, which the reading said; one was asked about, and three were refused.
Now nine are read and one is refused.
"""

import numpy as np
import pandas as pd

from tests.tables.held_out_files import HeldOut, delimited, lines
from tests.tables.workbooks import workbook

SIZE = 240
RNG = np.random.default_rng(121_212)
SHIPS = np.array(["barge", "ferry", "tanker", "yacht"])
TRUTH = RNG.choice(4, SIZE, p=(0.4, 0.3, 0.2, 0.1))
SAID = np.where(RNG.random(SIZE) < 0.84, TRUTH, RNG.integers(0, 4, SIZE))
RIGHT = float((SAID == TRUTH).mean())
SURE = RNG.uniform(0.45, 0.99, SIZE).round(4)
CHANCES = np.repeat(((1 - SURE) / 3)[:, None], 4, axis=1)
CHANCES[np.arange(SIZE), SAID] = SURE
CHANCES = CHANCES.round(6)
TWO = RNG.integers(0, 2, SIZE)
CHANCE = np.clip(0.5 + (TWO - 0.5) * RNG.uniform(-0.4, 0.96, SIZE), 0.01, 0.99).round(4)
TWO_RIGHT = float(((CHANCE >= 0.5) == (TWO == 1)).mean())
GOOD = RNG.random(SIZE) < 0.75
ROWS = range(SIZE)


def of_tensorflow_serving_log() -> bytes:
    return lines(
        [
            {
                "request_id": f"r-{row}",
                "image_uri": f"s3://ships/{row:05}.jpg",
                "outputs": {"class_name": str(SHIPS[SAID[row]]), "probability": float(SURE[row])},
                "feedback": {"true_class": str(SHIPS[TRUTH[row]]) if row % 3 == 0 else None},
            }
            for row in ROWS
        ]
    )


def of_r_ranger() -> bytes:
    """cbind of data, predict and the matrix of votes, by write.csv."""
    frame = pd.DataFrame({"Length": RNG.normal(60, 20, SIZE).round(1), "Type": SHIPS[TRUTH], "pred.Type": SHIPS[SAID]})
    for k, name in enumerate(SHIPS):
        frame[f"votes.{name}"] = CHANCES[:, k]
    frame.index = frame.index + 1
    return frame.to_csv().encode()


def of_a_help_desk() -> bytes:
    return workbook(
        [
            ["Ticket no.", "Customer asked", "Bot answered", "Agent rating (1-5)"],
            *(
                [
                    f"H{row:05}",
                    f"When does ferry {row} leave?",
                    f"Ferry {row} leaves at {8 if GOOD[row] else 23}:15.",
                    5 if GOOD[row] else 1 + row % 2,
                ]
                for row in ROWS
            ),
        ]
    )


def of_summaries() -> bytes:
    return lines(
        [
            {
                "doc_id": row,
                "document": f"The ship with number {row} sailed from one port to another in {row % 30 + 1} days.",
                "system_summary": f"Ship {row} sailed for {row % 30 + (1 if GOOD[row] else 5)} days.",
                "reference_summary": f"Ship {row} needed {row % 30 + 1} days.",
                "rougeL": round(float(RNG.uniform(0.2, 0.9)), 3),
            }
            for row in ROWS
        ]
    )


def of_grouped_numbers() -> bytes:
    """An office's table in German with grouped amounts; the estimate of a program and the invoice."""
    real = RNG.gamma(5, 3000, SIZE)
    said = real * RNG.normal(1, 0.1, SIZE)

    def amount(value: float) -> str:
        return f"{value:,.2f}".replace(",", "_").replace(".", ",").replace("_", ".")

    return delimited(
        ";",
        "cp1252",
        "\r\n",
        Auftrag=[f"A-{row}" for row in ROWS],
        Schätzung_KI=list(map(amount, said)),
        Rechnung=list(map(amount, real)),
    )


def of_an_autolabeler() -> bytes:
    """Pictures that a program labeled, and whether a person approved each."""
    return delimited(
        ",",
        "utf-8",
        image_path=[f"harbor/{row:04}.png" for row in ROWS],
        auto_label=SHIPS[SAID],
        auto_confidence=SURE,
        approved=np.where(SAID == TRUTH, "TRUE", "FALSE"),
    )


def of_medical_flags() -> bytes:
    """Chances of several findings of a picture, with what was found: each finding by itself, so nothing sums to 1."""
    columns: dict[str, object] = {"image": [f"x/{row}.png" for row in ROWS]}
    for name in ("edema", "mass", "hernia"):
        true = RNG.random(SIZE) < 0.4
        columns[f"{name}_true"] = true.astype(int)
        columns[f"{name}_pred"] = (true ^ (RNG.random(SIZE) < 0.1)).astype(int)
    return delimited(",", "utf-8", **columns)


def of_search() -> bytes:
    """Queries with the document found and a grade of relevance by a person from 0 to 3."""
    return delimited(
        "\t",
        "utf-8",
        query=[f"ships of the year {row}" for row in ROWS],
        response=[f"In the year {row} there were {row % 9} ships." for row in ROWS],
        rating=[3 if GOOD[row] else row % 3 for row in ROWS],
    )


def of_conll_like() -> bytes:
    """Tokens with a tag of the model and of the corpus, one a line."""
    tags = np.array(["O", "B-SHIP", "I-SHIP", "B-PORT"])
    return delimited("\t", "utf-8", token=[f"w{row}" for row in ROWS], gold_tag=tags[TRUTH], pred_tag=tags[SAID])


def of_default_scores() -> bytes:
    """A bank's export: probability, decision by a threshold of its own, and the outcome."""
    return delimited(
        ",",
        "utf-8",
        account=[f"{row:06}" for row in ROWS],
        prob_default=CHANCE,
        default_flag=TWO,
    )


TWELFTH_HELD_OUT = [
    HeldOut(
        "serving.log.jsonl",
        of_tensorflow_serving_log,
        {"outputs.class_name": "prediction", "outputs.probability": "confidence"},
        ["feedback.true_class"],
    ),
    HeldOut("ranger.csv", of_r_ranger, {"pred.Type": "prediction", "votes.ferry": "p_ferry"}, ["Type"]),
    HeldOut("desk.xlsx", of_a_help_desk, {"Customer asked": "input", "Bot answered": "output"}, ["Agent rating (1-5)"]),
    HeldOut(
        "summaries.jsonl",
        of_summaries,
        {"document": "input", "system_summary": "output", "reference_summary": "reference"},
        ["rougeL"],
    ),
    HeldOut("auftraege.csv", of_grouped_numbers, {"Schätzung_KI": "prediction"}, ["Rechnung"]),
    HeldOut("auto.csv", of_an_autolabeler, {"auto_label": "prediction", "auto_confidence": "confidence"}, ["approved"]),
    HeldOut("findings.csv", of_medical_flags, {"prediction": "prediction"}, ["label"]),
    HeldOut("search.tsv", of_search, {"query": "input", "response": "output", "rating": "label"}, ["rating"]),
    HeldOut("tags.tsv", of_conll_like, {"pred_tag": "prediction"}, ["gold_tag"], RIGHT),
    HeldOut("bank.csv", of_default_scores, {"prob_default": "confidence"}, ["default_flag"], TWO_RIGHT),
]
