"""Ten more tables, written after the rules of the tenth set, each with its right reading before anything read it.

At first eight were read right, one of them with the truth hidden and offered where it was expected to be known, and one under
longer names than expected; one was asked about, one refused, and none misread without a word. Now nine are read.
"""

import json

import numpy as np
import pandas as pd

from tests.tables.held_out_files import HeldOut, delimited, lines, with_comma
from tests.tables.workbooks import workbook

SIZE = 210
RNG = np.random.default_rng(111_111)
BEES = np.array(["bumble", "honey", "mason", "sweat"])
TRUTH = RNG.choice(4, SIZE, p=(0.4, 0.3, 0.2, 0.1))
SAID = np.where(RNG.random(SIZE) < 0.83, TRUTH, RNG.integers(0, 4, SIZE))
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


def of_megadetector_species() -> bytes:
    """Camera traps: file, site and time, the label of a classifier with its chance, and what a person wrote where asked."""
    looked = RNG.random(SIZE) < 0.3
    return delimited(
        ",",
        "utf-8",
        filename=[f"cam{row % 9}/IMG_{row:04}.JPG" for row in ROWS],
        site=[f"site {row % 9}" for row in ROWS],
        predicted_species=BEES[SAID],
        species_prob=SURE,
        human_label=np.where(looked, BEES[TRUTH], ""),
    )


def of_xgboost_softprob() -> bytes:
    """Chances of numbered classes without a header for the class, and the true number."""
    return delimited(",", "utf-8", **{f"class_{k}": CHANCES[:, k] for k in range(4)}, target=TRUTH)


def of_a_nurse() -> bytes:
    """Triage by a model and by a nurse, on a scale of five, with free notes."""
    model, nurse = SAID + 1, TRUTH + 1
    return workbook(
        [
            ["Case", "Complaint", "Model triage", "Nurse triage", "Notes"],
            *(
                [
                    f"C{row:04}",
                    f"The patient has felt ill for {row} days",
                    int(model[row]),
                    int(nurse[row]),
                    "none" if row % 3 else "seen twice",
                ]
                for row in ROWS
            ),
        ]
    )


def of_galileo() -> bytes:
    """A log of prompts and completions with guardrail numbers."""
    return lines(
        [
            {
                "input": f"What do bees of hive {row} eat?",
                "output": f"Bees of hive {row} eat {'nectar' if GOOD[row] else 'grass'} in May.",
                "metrics": {
                    "toxicity": round(float(RNG.uniform(0, 0.1)), 3),
                    "context_adherence": round(float(RNG.uniform(0, 1)), 3),
                },
                "tokens": int(RNG.integers(10, 90)),
                "user_id": f"u{row % 20}",
            }
            for row in ROWS
        ]
    )


def of_spam_filter() -> bytes:
    """A mail filter's decisions as words with a score of the second class, and what the users reported."""
    return delimited(
        ",",
        "utf-8",
        message_id=[f"<{row}@hive>" for row in ROWS],
        subject=[f"your order {row} of honey has come" for row in ROWS],
        spam_score=CHANCE,
        verdict=np.where(CHANCE >= 0.5, "spam", "ham"),
        user_report=np.where(TWO == 1, "spam", "ham"),
    )


def of_code_generation() -> bytes:
    return lines(
        [
            {
                "task_id": f"Hive/{row}",
                "prompt": f"def bees_{row}(n):\n    '''Return n plus {row}.'''\n",
                "generated_code": f"    return n + {row if GOOD[row] else row - 1}\n",
                "passed": bool(GOOD[row]),
            }
            for row in ROWS
        ]
    )


def of_energy() -> bytes:
    """Metered and predicted loads with an interval."""
    load = RNG.gamma(6, 50, SIZE).round(1)
    said = (load * RNG.normal(1, 0.1, SIZE)).round(1)
    return delimited(
        ";",
        "cp1252",
        "\r\n",
        Zeit=[f"{1 + row % 28:02}.05.2026 {row % 24:02}:00" for row in ROWS],
        Verbrauch=with_comma(load, 1),
        Prognose=with_comma(said, 1),
        Prognose_unten=with_comma(said - 40, 1),
        Prognose_oben=with_comma(said + 40, 1),
    )


def of_entity_linking() -> bytes:
    """Mentions with the page a linker chose and the right one."""
    return delimited(
        "\t",
        "utf-8",
        mention=[f"the bee of hive {row}" for row in ROWS],
        predicted_entity=[f"Q{TRUTH[row] if GOOD[row] else TRUTH[row] + 9}" for row in ROWS],
        gold_entity=[f"Q{TRUTH[row]}" for row in ROWS],
    )


def of_json_with_chances() -> bytes:
    """A service's answers by request, with the chances of all classes by name and the class it gave."""
    return json.dumps(
        {
            "requests": [
                {
                    "request": f"img/{row:03}.png",
                    "response": {
                        "class": str(BEES[SAID[row]]),
                        "scores": {str(b): float(CHANCES[row][k]) for k, b in enumerate(BEES)},
                    },
                }
                for row in ROWS
            ]
        }
    ).encode()


def of_multi_label_words() -> bytes:
    """Tags of posts as the model and an editor set them."""
    names = np.array(["garden", "honey", "hive"])
    true = RNG.random((SIZE, 3)) < 0.4
    said = true ^ (RNG.random((SIZE, 3)) < 0.08)

    def words(flags: np.ndarray) -> list[str]:
        return ["; ".join(names[row]) for row in flags]

    frame = pd.DataFrame(
        {
            "post": [f"my bees did thing {row} today" for row in ROWS],
            "auto_tags": words(said),
            "editor_tags": words(true),
        }
    )
    return frame.to_csv(index=False).encode()


ELEVENTH_HELD_OUT = [
    HeldOut(
        "traps.csv",
        of_megadetector_species,
        {"predicted_species": "prediction", "species_prob": "confidence"},
        ["human_label"],
    ),
    HeldOut("softprob.csv", of_xgboost_softprob, {"class_0": "p_0", "class_3": "p_3"}, ["target"], RIGHT),
    HeldOut("triage.xlsx", of_a_nurse, {"Model triage": "prediction"}, ["Nurse triage"]),
    HeldOut("guardrails.jsonl", of_galileo, {"input": "input", "output": "output"}, ["metrics.toxicity"]),
    HeldOut("mails.csv", of_spam_filter, {"verdict": "prediction", "spam_score": "confidence"}, ["user_report"]),
    HeldOut(
        "samples.jsonl",
        of_code_generation,
        {"prompt": "input", "generated_code": "output", "passed": "outcome"},
        ["passed"],
    ),
    HeldOut("last.csv", of_energy, {"Prognose": "prediction"}, ["Verbrauch"]),
    HeldOut("links.tsv", of_entity_linking, {"predicted_entity": "prediction"}, ["gold_entity"], float(GOOD.mean())),
    HeldOut(
        "service.json",
        of_json_with_chances,
        {"requests.response.class": "prediction", "requests.response.scores.honey": "p_honey"},
    ),
    HeldOut("tags.csv", of_multi_label_words, {"auto_tags": "prediction"}, ["editor_tags"]),
]
