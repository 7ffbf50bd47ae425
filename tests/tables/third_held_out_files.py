"""Tables of thirty-four more tools and habits, each written with its right reading before anything read it.

In 28 something is predicted: of these 11 were read right at first, 1 asked about, 10 refused and 6 read wrong without a word.
Now 27 are read right and 1 is asked about. In the other 6 nothing is predicted for an input: all were refused, and are.
"""

import io
import json
from collections.abc import Sequence

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet

from tests.tables.held_out_files import HeldOut, delimited, lines, with_comma
from tests.tables.workbooks import workbook

SIZE = 240
RNG = np.random.default_rng(424_242)
CLASSES = np.array(["benign", "malignant", "unclear"])
TRUTH = RNG.choice(3, SIZE, p=(0.5, 0.3, 0.2))
SAID = np.where(RNG.random(SIZE) < 0.82, TRUTH, RNG.integers(0, 3, SIZE))
RIGHT = float((SAID == TRUTH).mean())
SURE = RNG.uniform(0.45, 0.99, SIZE).round(4)
CHANCES = np.repeat(((1 - SURE) / 2)[:, None], 3, axis=1)
CHANCES[np.arange(SIZE), SAID] = SURE
CHANCES = CHANCES.round(6)
LOGITS = np.log(CHANCES).round(4)
ROWS = range(SIZE)
INDEX = RNG.permutation(5_000)[:SIZE]
TWO = RNG.integers(0, 2, SIZE)
TWO_SAID = np.where(RNG.random(SIZE) < 0.86, TWO, 1 - TWO)
TWO_RIGHT = float((TWO == TWO_SAID).mean())
ASKED = [f"How many legs do {row} spiders have?" for row in ROWS]
RATHER = RNG.random(SIZE) < 0.8
ANSWERED = [f"{row} spiders have {8 * row if RATHER[row] else 6 * row} legs." for row in ROWS]
EXPECTED = [f"{8 * row} legs" for row in ROWS]


PROMPT = "[openai:gpt-4o] Answer: {{question}}"


def hexadecimal(row: int) -> str:
    return f"{row * 2_654_435_761 % 2**32:08x}"


def of_pandas_with_index() -> bytes:
    table = {"y_true": TRUTH, "y_pred": SAID} | {f"proba_{k}": CHANCES[:, k] for k in range(3)}
    return pd.DataFrame(table, index=INDEX).to_csv().encode()


def of_kaggle() -> bytes:
    return delimited(",", "utf-8", PassengerId=range(892, 892 + SIZE), Survived=TWO_SAID)


def of_kaggle_with_chances() -> bytes:
    return delimited(
        ",", "utf-8", img=[f"img_{k}.jpg" for k in INDEX], c0=CHANCES[:, 0], c1=CHANCES[:, 1], c2=CHANCES[:, 2]
    )


def of_datasets_to_json() -> bytes:
    return lines(
        [
            {
                "text": f"report {row} of a lesion",
                "label": int(TRUTH[row]),
                "pred": int(SAID[row]),
                "logits": LOGITS[row].tolist(),
            }
            for row in ROWS
        ]
    )


def of_roboflow() -> bytes:
    rows = [f"{hexadecimal(row)}.jpg, {', '.join(str(int(TRUTH[row] == k)) for k in range(3))}" for row in ROWS]
    return "\n".join([f"filename, {', '.join(CLASSES)}", *rows]).encode()


def of_coco_results() -> bytes:
    return json.dumps(
        [{"image_id": int(INDEX[row]), "category_id": int(SAID[row]) + 1, "score": float(SURE[row])} for row in ROWS]
    ).encode()


def of_mlflow_evaluate() -> bytes:
    columns = ["inputs", "ground_truth", "outputs", "token_count", "toxicity/v1/score", "exact_match/v1"]
    data = [
        [ASKED[row], EXPECTED[row], ANSWERED[row], 7 + row % 5, round(0.001 * (row % 17), 4), int(RATHER[row])]
        for row in ROWS
    ]
    return json.dumps({"columns": columns, "data": data}).encode()


def of_dvc() -> bytes:
    return json.dumps([{"actual": CLASSES[TRUTH[row]], "predicted": CLASSES[SAID[row]]} for row in ROWS]).encode()


def of_a_table_of_runs() -> bytes:
    return delimited(
        ",",
        "utf-8",
        image=[f"media/images/{hexadecimal(row)}.png" for row in ROWS],
        guess=CLASSES[SAID],
        truth=CLASSES[TRUTH],
        **{f"score_{word}": CHANCES[:, k] for k, word in enumerate(CLASSES)},
    )


def of_braintrust() -> bytes:
    return lines(
        [
            {
                "id": f"{hexadecimal(row)}-0000-4000-8000-000000000000",
                "created": f"2026-03-01T10:{row // 60:02}:{row % 60:02}.000Z",
                "input": {"question": ASKED[row]},
                "output": ANSWERED[row],
                "expected": EXPECTED[row],
                "scores": {"Factuality": (0.6, 1.0)[int(RATHER[row])], "Levenshtein": round(0.3 + row % 7 / 20, 3)},
                "metrics": {"duration": round(1 + row % 11 / 7, 4), "tokens": 40 + row % 9},
                "tags": None,
            }
            for row in ROWS
        ]
    )


def of_opencompass() -> bytes:
    return json.dumps(
        {
            str(row): {
                "origin_prompt": [{"role": "HUMAN", "prompt": f"{ASKED[row]}\nA. 6\nB. 8\nC. 10\nAnswer:"}],
                "prediction": "ABC"[SAID[row]],
                "gold": "ABC"[TRUTH[row]],
            }
            for row in ROWS
        }
    ).encode()


def of_promptfoo_as_csv() -> bytes:
    verdict = np.where(RATHER, "[PASS]", "[FAIL] Expected output to contain the number of legs\n---")
    said = [f"{verdict[row]} {ANSWERED[row]}" for row in ROWS]
    return delimited(",", "utf-8", **{"question": ASKED, PROMPT: said})


def of_harness_results() -> bytes:
    results = {f"mmlu_{k}": {"acc,none": 0.5 + k / 200, "acc_stderr,none": 0.02, "alias": f" - {k}"} for k in range(50)}
    return json.dumps(
        {"results": results, "versions": dict.fromkeys(results, 1.0), "n-shot": dict.fromkeys(results, 5)}
    ).encode()


def of_doccano() -> bytes:
    return lines(
        [{"id": row + 1, "text": f"note {row}", "label": [str(CLASSES[TRUTH[row]])], "Comments": []} for row in ROWS]
    )


def of_spacy() -> bytes:
    return lines(
        [
            {
                "text": f"note {row} on a scan",
                "cats": {str(word): float(CHANCES[row, k]) for k, word in enumerate(CLASSES)},
            }
            for row in ROWS
        ]
    )


def of_a_french_office() -> bytes:
    columns = {
        "Image": [f"{row}.jpg" for row in ROWS],
        "Classe prédite": CLASSES[SAID],
        "Probabilité": with_comma(SURE),
        "Classe réelle": CLASSES[TRUTH],
    }
    return delimited(";", "cp1252", "\r\n", **columns)


def of_power_bi() -> bytes:
    rows: list[Sequence[object]] = [
        [f"scan-{row}", str(CLASSES[SAID[row]]), float(SURE[row]), str(CLASSES[TRUTH[row]])] for row in ROWS
    ]
    return workbook(
        [["Scan", "Predicted category", "Confidence", "Actual category"], *rows, [], ["Applied filters:\nYear is 2025"]]
    )


def of_langfuse() -> bytes:
    return json.dumps(
        [
            {
                "id": hexadecimal(row),
                "timestamp": f"2026-02-02T08:{row // 60:02}:{row % 60:02}Z",
                "name": "qa",
                "input": {
                    "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": ASKED[row]}]
                },
                "output": {"role": "assistant", "content": ANSWERED[row]},
                "latency": round(0.5 + row % 13 / 10, 3),
                "totalCost": round(0.0001 * (row % 19 + 1), 6),
                "scores": [{"name": "correctness", "value": int(RATHER[row]), "source": "ANNOTATION"}],
            }
            for row in ROWS
        ]
    ).encode()


def of_phoenix() -> bytes:
    file = io.BytesIO()
    pa.parquet.write_table(
        pa.table(
            {
                "context.span_id": [hexadecimal(row) for row in ROWS],
                "name": ["ChatCompletion"] * SIZE,
                "span_kind": ["LLM"] * SIZE,
                "start_time": pd.date_range("2026-01-01", periods=SIZE, freq="min"),
                "attributes.input.value": ASKED,
                "attributes.output.value": ANSWERED,
                "attributes.llm.token_count.total": [30 + row % 23 for row in ROWS],
                "eval.Hallucination.label": ["factual" if one else "hallucinated" for one in RATHER],
                "eval.Hallucination.score": (~RATHER).astype(float).tolist(),
            }
        ),
        file,
    )
    return file.getvalue()


def of_keras_folders() -> bytes:
    files = [f"{CLASSES[TRUTH[row]]}/{row:04}.jpg" for row in ROWS]
    return delimited(",", "utf-8", filename=files, class_name=CLASSES[SAID], probability=SURE)


def of_imagenet() -> bytes:
    top5 = [" ".join(map(str, [SAID[row], *(k for k in range(6) if k != SAID[row])][:5])) for row in ROWS]
    return delimited(
        ",", "utf-8", image=[f"ILSVRC2012_val_{row + 1:08}.JPEG" for row in ROWS], target=TRUTH, top1=SAID, top5=top5
    )


def of_yolo_training() -> bytes:
    return delimited(
        ",",
        "utf-8",
        **{
            "epoch": range(1, 101),
            "train/loss": np.linspace(2.1, 0.2, 100).round(5),
            "metrics/accuracy_top1": np.linspace(0.3, 0.93, 100).round(5),
            "val/loss": np.linspace(2.2, 0.4, 100).round(5),
        },
    )


def of_classification_report() -> bytes:
    names = [f"class {k}" for k in range(40)]
    scores = {name: RNG.uniform(0.5, 1, 40).round(3) for name in ("precision", "recall", "f1-score")}
    return pd.DataFrame(scores | {"support": RNG.integers(20, 90, 40)}, index=names).to_csv().encode()


def of_write_csv_in_r() -> bytes:
    words = np.array(["FALSE", "TRUE"])
    frame = pd.DataFrame({"actual": words[TWO], "predicted": words[TWO_SAID]}, index=pd.RangeIndex(1, SIZE + 1))
    return frame.to_csv(quoting=2).encode()


def of_a_regression() -> bytes:
    area = RNG.uniform(30, 200, SIZE).round(1)
    price, fitted = (3 * area + RNG.normal(0, 30, SIZE)).round(2), (3 * area).round(2)
    return delimited(",", "utf-8", area=area, y=price, yhat=fitted, residual=(price - fitted).round(2))


def of_autogluon() -> bytes:
    return pd.DataFrame(CHANCES, columns=CLASSES, index=INDEX).to_csv().encode()


def of_summaries() -> bytes:
    return lines(
        [
            {
                "article": f"Spiders were counted. {ASKED[row]} The count took {row} days and was repeated.",
                "highlights": EXPECTED[row],
                "generated_summary": ANSWERED[row],
                "rouge1": round(0.2 + row % 31 / 60, 4),
            }
            for row in ROWS
        ]
    )


def of_fiftyone() -> bytes:
    samples = [
        {
            "filepath": f"data/{row:06}.jpg",
            "tags": ["validation"],
            "ground_truth": {"label": str(CLASSES[TRUTH[row]])},
            "predictions": {"label": str(CLASSES[SAID[row]]), "confidence": float(SURE[row])},
        }
        for row in ROWS
    ]
    return json.dumps({"name": "scans", "info": {}, "samples": samples}).encode()


def of_rekognition() -> bytes:
    return lines(
        [
            {
                "Image": f"s3://bucket/{row}.jpg",
                "CustomLabels": [
                    {"Name": str(CLASSES[k]), "Confidence": round(100 * CHANCES[row, k], 4)}
                    for k in np.argsort(-CHANCES[row])
                ],
            }
            for row in ROWS
        ]
    )


def of_snowflake() -> bytes:
    said = [
        json.dumps({"class": CLASSES[SAID[row]], "probability": dict(zip(CLASSES, CHANCES[row].tolist(), strict=True))})
        for row in ROWS
    ]
    return delimited(
        ",", "utf-8", ID=INDEX, SIZE_MM=RNG.uniform(1, 40, SIZE).round(1), PREDICTION=said, DIAGNOSIS=CLASSES[TRUTH]
    )


def of_mturk() -> bytes:
    return delimited(
        ",",
        "utf-8",
        **{
            "HITId": [f"3{hexadecimal(row).upper()}" for row in ROWS],
            "WorkerId": [f"A{hexadecimal(row % 12).upper()}" for row in ROWS],
            "WorkTimeInSeconds": RNG.integers(4, 90, SIZE),
            "Input.image_url": [f"https://example.org/{row}.png" for row in ROWS],
            "Input.model_prediction": CLASSES[SAID],
            "Answer.category.label": CLASSES[TRUTH],
        },
    )


def of_cleanlab() -> bytes:
    return delimited(
        ",",
        "utf-8",
        is_label_issue=(SAID != TRUTH) & (SURE > 0.8),
        label_quality=np.where(SAID == TRUTH, SURE, (1 - SURE) / 2).round(4),
        given_label=CLASSES[TRUTH],
        predicted_label=CLASSES[SAID],
    )


def of_squad() -> bytes:
    return json.dumps({f"56be4db0{hexadecimal(row)}": ANSWERED[row] for row in ROWS}).encode()


def of_comet() -> bytes:
    return json.dumps(
        [
            {
                "src": f"Es gibt {row} Spinnen.",
                "mt": f"There are {row} spiders.",
                "ref": f"{row} spiders exist.",
                "COMET": 0.7,
            }
            | {"COMET": round(0.6 + row % 37 / 100, 4)}
            for row in ROWS
        ]
    ).encode()


THIRD_HELD_OUT = (
    HeldOut("preds.csv", of_pandas_with_index, {"y_pred": "prediction", "proba_1": "p_1"}, ["y_true"], RIGHT),
    HeldOut("submission.csv", of_kaggle, {"Survived": "prediction"}),
    HeldOut("state_farm.csv", of_kaggle_with_chances, {"c0": "p_0", "c2": "p_2"}),
    HeldOut("test.jsonl", of_datasets_to_json, {"pred": "prediction", "text": "text"}, ["label"], RIGHT),
    HeldOut("_classes.csv", of_roboflow, refuses="has no predictions"),
    HeldOut("results.json", of_coco_results, {"category_id": "prediction", "score": "confidence"}),
    HeldOut(
        "eval_results_table.json",
        of_mlflow_evaluate,
        {"outputs": "output", "inputs": "input", "ground_truth": "reference"},
        ["exact_match/v1"],
    ),
    HeldOut("dvc.json", of_dvc, {"predicted": "prediction"}, ["actual"], RIGHT),
    HeldOut("wandb.csv", of_a_table_of_runs, {"guess": "prediction", "score_benign": "p_benign"}, ["truth"], RIGHT),
    HeldOut("experiment.jsonl", of_braintrust, {"output": "output", "expected": "reference"}, ["scores.Factuality"]),
    HeldOut("mmlu.json", of_opencompass, {"prediction": "prediction"}, ["gold"], RIGHT),
    HeldOut(
        "output.csv",
        of_promptfoo_as_csv,
        {f"{PROMPT}.output": "output", "question": "input", f"{PROMPT}.success": "outcome"},
        accuracy=float(RATHER.mean()),
    ),
    HeldOut("results_2026.json", of_harness_results, refuses="has no predictions"),
    HeldOut("admin.jsonl", of_doccano, refuses="has no predictions"),
    HeldOut("textcat.jsonl", of_spacy, {"cats.benign": "p_benign", "text": "text"}),
    HeldOut(
        "resultats.csv",
        of_a_french_office,
        {"Classe prédite": "prediction", "Probabilité": "confidence"},
        ["Classe réelle"],
        RIGHT,
    ),
    HeldOut("data.xlsx", of_power_bi, {"Predicted category": "prediction"}, ["Actual category"], RIGHT),
    HeldOut("traces.json", of_langfuse, {"output.content": "output"}, ["scores[0].value"]),
    HeldOut(
        "spans.parquet",
        of_phoenix,
        {"attributes.output.value": "output", "attributes.input.value": "input"},
        ["eval.Hallucination.label", "eval.Hallucination.score"],
    ),
    HeldOut("keras.csv", of_keras_folders, {"class_name": "prediction", "probability": "confidence"}),
    HeldOut("imagenet.csv", of_imagenet, {"top1": "prediction"}, ["target"], RIGHT),
    HeldOut("results.csv", of_yolo_training, refuses="has no predictions"),
    HeldOut("report.csv", of_classification_report, refuses="has no predictions"),
    HeldOut("glm.csv", of_write_csv_in_r, {"predicted": "prediction"}, ["actual"], TWO_RIGHT),
    HeldOut("lm.csv", of_a_regression, {"yhat": "prediction"}, ["y", "residual"]),
    HeldOut("proba.csv", of_autogluon, {"benign": "p_benign"}),
    HeldOut(
        "summaries.jsonl",
        of_summaries,
        {"generated_summary": "output", "highlights": "reference", "article": "input"},
    ),
    HeldOut(
        "samples.json",
        of_fiftyone,
        {"predictions.label": "prediction", "predictions.confidence": "confidence"},
        ["ground_truth.label"],
        RIGHT,
    ),
    HeldOut("rekognition.jsonl", of_rekognition, {"CustomLabels[0].Name": "prediction"}),
    HeldOut("snowflake.csv", of_snowflake, {"PREDICTION.class": "prediction"}, ["DIAGNOSIS"]),
    HeldOut("Batch_1.csv", of_mturk, {"Input.model_prediction": "prediction"}, ["Answer.category.label"]),
    HeldOut("issues.csv", of_cleanlab, {"predicted_label": "prediction"}, ["given_label", "is_label_issue"]),
    HeldOut("dev_predictions.json", of_squad, {"prediction": "output"}),
    HeldOut("comet.json", of_comet, {"mt": "output", "src": "input", "ref": "reference"}),
)
