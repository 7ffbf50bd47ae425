"""Tables of twenty more tools, made before anybody looked at how they are read, each with its right reading.

At first 9 of the 20 were read right without a flag, 6 asked about, of which one has two readings, 2 refused, and 3 read wrong
without a word: two showed the truth to testers, one set the prediction aside. See ``held_out_files`` for the form.
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

SIZE = 300
RNG = np.random.default_rng(20_261)
CLASSES = np.array(["churn", "stay", "upgrade"])
TRUTH = RNG.integers(0, 3, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, RNG.integers(0, 3, SIZE))
SURE = RNG.uniform(0.5, 0.98, SIZE).round(4)
RIGHT = float((SAID == TRUTH).mean())
ROWS = range(SIZE)
CHANCES = np.repeat(((1 - SURE) / 2)[:, None], 3, axis=1)
CHANCES[np.arange(SIZE), SAID] = SURE
CHANCES = CHANCES.round(6)
BINARY = RNG.integers(0, 2, SIZE)
OF_1 = np.clip(0.5 + (BINARY - 0.5) * RNG.uniform(-0.4, 0.96, SIZE), 0.01, 0.99).round(4)
BINARY_SAID = (OF_1 > 0.5).astype(int)
BINARY_RIGHT = float((BINARY_SAID == BINARY).mean())
YES_NO = np.array(["no", "yes"])


def of_r() -> bytes:
    """What write.csv2 of R writes: semicolons, decimal commas, quoted names, and no name over the names of the rows."""
    table = {"Prediction": CLASSES[SAID], "Reference": CLASSES[TRUTH]}
    table |= {f"Prob.{word}": with_comma(CHANCES[:, k], 4) for k, word in enumerate(CLASSES)}
    frame = pd.DataFrame(table, index=pd.RangeIndex(1, SIZE + 1))
    header, _, rest = frame.to_csv(sep=";", quoting=2).partition("\n")
    return f"{header.removeprefix(chr(34) * 2 + ';')}\n{rest}".encode()


def of_fasttext() -> bytes:
    return delimited(
        "\t",
        "utf-8",
        text=[f"the customer said {row} things" for row in ROWS],
        gold=[f"__label__{word}" for word in CLASSES[TRUTH]],
        predicted=[f"__label__{word}" for word in CLASSES[SAID]],
        prob=SURE,
    )


def of_run_glue() -> bytes:
    return delimited("\t", "utf-8", index=ROWS, prediction=CLASSES[SAID])


def of_h2o() -> bytes:
    return delimited(
        ",",
        "utf-8",
        predict=BINARY_SAID,
        p0=(1 - OF_1).round(4),
        p1=OF_1,
        CAPSULE=BINARY,
        AGE=RNG.integers(40, 80, SIZE),
    )


def of_azure() -> bytes:
    return delimited(
        ",",
        "utf-8-sig",
        **{
            "age": RNG.integers(18, 90, SIZE),
            "income": YES_NO[BINARY],
            "Scored Labels": YES_NO[BINARY_SAID],
            "Scored Probabilities": OF_1,
        },
    )


def of_bigquery() -> bytes:
    return lines(
        [
            {
                "predicted_status": CLASSES[SAID[row]],
                "predicted_status_probs": [
                    {"label": CLASSES[k], "prob": CHANCES[row, k]} for k in np.argsort(-CHANCES[row])
                ],
                "status": CLASSES[TRUTH[row]],
                "tenure": int(row % 37),
            }
            for row in ROWS
        ]
    )


def of_vertex() -> bytes:
    return lines(
        [
            {
                "instance": {"content": f"gs://bucket/img/{row:05}.jpg", "mimeType": "image/jpeg"},
                "prediction": {
                    "ids": [str(7 + k) for k in np.argsort(-CHANCES[row])],
                    "displayNames": [str(CLASSES[k]) for k in np.argsort(-CHANCES[row])],
                    "confidences": sorted(CHANCES[row].tolist(), reverse=True),
                },
            }
            for row in ROWS
        ]
    )


def of_comprehend() -> bytes:
    return lines(
        [
            {
                "File": f"doc{row}.txt",
                "Line": str(row),
                "Classes": [
                    {"Name": str(CLASSES[k]), "Score": float(CHANCES[row, k])} for k in np.argsort(-CHANCES[row])
                ],
            }
            for row in ROWS
        ]
    )


def of_rapidminer() -> bytes:
    chances = {f"confidence({word})": CHANCES[:, k] for k, word in enumerate(CLASSES)}
    return delimited(
        ";",
        "cp1252",
        "\r\n",
        **{"id": [row + 1 for row in ROWS], "label": CLASSES[TRUTH], "prediction(label)": CLASSES[SAID]},
        **chances,
    )


def of_knime() -> bytes:
    chances = {f"P (Status={word})": CHANCES[:, k] for k, word in enumerate(CLASSES)}
    return delimited(
        ",",
        "utf-8",
        **{
            "RowID": [f"Row{row}" for row in ROWS],
            "Status": CLASSES[TRUTH],
            **chances,
            "Prediction (Status)": CLASSES[SAID],
        },
    )


def of_sas() -> bytes:
    return delimited(
        ",",
        "utf-8",
        F_BAD=YES_NO[BINARY],
        I_BAD=YES_NO[BINARY_SAID],
        P_BADyes=OF_1,
        P_BADno=(1 - OF_1).round(4),
        LOAN=RNG.integers(1000, 90_000, SIZE),
    )


def of_langsmith() -> bytes:
    return delimited(
        ",",
        "utf-8",
        id=[f"{row:08x}-1111-4222-8333-444444444444" for row in ROWS],
        inputs=[json.dumps({"question": f"What is {row} + {row}?"}) for row in ROWS],
        outputs=[json.dumps({"answer": f"It is {2 * row}."}) for row in ROWS],
        reference_outputs=[json.dumps({"answer": str(2 * row)}) for row in ROWS],
        **{
            "feedback.correctness": BINARY,
            "latency": RNG.uniform(0.2, 3, SIZE).round(2),
            "total_tokens": RNG.integers(9, 99, SIZE),
        },
    )


def of_trulens() -> bytes:
    table = pa.table(
        {
            "app_id": ["rag"] * SIZE,
            "record_id": [f"record_hash_{row * 7919:032x}" for row in ROWS],
            "input": [f"Who wrote book {row}?" for row in ROWS],
            "output": [f"Author {row} wrote it." for row in ROWS],
            "ts": pa.array(range(SIZE), pa.timestamp("s")),
            "Answer Relevance": RNG.random(SIZE).round(2),
            "Groundedness": RNG.random(SIZE).round(2),
            "total_cost": RNG.random(SIZE),
        }
    )
    file = io.BytesIO()
    pyarrow.parquet.write_table(table, file)
    return file.getvalue()


def of_openai_runs() -> bytes:
    return lines(
        [
            {
                "object": "eval.run.output_item",
                "id": f"outputitem_{row:x}",
                "created_at": 1_743_000_000 + row,
                "run_id": "evalrun_1",
                "status": "pass" if BINARY[row] else "fail",
                "datasource_item_id": row,
                "datasource_item": {"input": f"Ticket {row}", "correct_label": "Hardware"},
                "results": [{"name": "Match", "score": float(BINARY[row]), "passed": bool(BINARY[row])}],
                "sample": {
                    "input": [
                        {"role": "developer", "content": "Sort tickets."},
                        {"role": "user", "content": f"Ticket {row}"},
                    ],
                    "output": [{"role": "assistant", "content": "Hardware" if BINARY[row] else "Software"}],
                    "finish_reason": "stop",
                    "model": "m",
                },
            }
            for row in ROWS
        ]
    )


def of_lmsys() -> bytes:
    winner = RNG.integers(0, 3, SIZE)
    return delimited(
        ",",
        "utf-8",
        id=RNG.permutation(10**6)[:SIZE],
        model_a=["m1"] * SIZE,
        model_b=["m2"] * SIZE,
        prompt=[json.dumps([f"Tell me about {row}"]) for row in ROWS],
        response_a=[json.dumps([f"It is {row}, a number."]) for row in ROWS],
        response_b=[json.dumps([f"{row} is what it is."]) for row in ROWS],
        winner_model_a=(winner == 0).astype(int),
        winner_model_b=(winner == 1).astype(int),
        winner_tie=(winner == 2).astype(int),
    )


def of_whisper() -> bytes:
    return delimited(
        ",",
        "utf-8",
        path=[f"clips/common_voice_{row:05}.mp3" for row in ROWS],
        reference=[f"this is sentence number {row}" for row in ROWS],
        hypothesis=[f"this is sentence number {row + (row % 4 == 0)}" for row in ROWS],
        **{"WER (%)": [25.0 if row % 4 == 0 else 0.0 for row in ROWS], "duration_s": RNG.uniform(1, 9, SIZE).round(2)},
    )


def of_weights_and_biases() -> bytes:
    columns = ["id", "image", "guess", "truth", *(f"score_{word}" for word in CLASSES)]
    rows = [
        [
            f"img_{row}",
            f"media/images/{row}.png",
            str(CLASSES[SAID[row]]),
            str(CLASSES[TRUTH[row]]),
            *CHANCES[row].tolist(),
        ]
        for row in ROWS
    ]
    return json.dumps({"columns": columns, "data": rows, "ncols": len(columns), "nrows": SIZE}).encode()


def of_a_service() -> bytes:
    return lines(
        [
            {
                "request_id": f"r-{row * 7919 % 100_003}",
                "prediction": {
                    "class": str(CLASSES[SAID[row]]),
                    "probabilities": {str(word): float(CHANCES[row, k]) for k, word in enumerate(CLASSES)},
                },
                "ground_truth": {"class": str(CLASSES[TRUTH[row]])},
                "timestamp": f"2026-01-01T00:{row // 60:02}:{row % 60:02}Z",
            }
            for row in ROWS
        ]
    )


def of_an_office() -> bytes:
    header = ["No.", "Photo", "Predicted class", "Confidence (%)", "Checked by hand"]
    rows: list[Sequence[object]] = [
        [row + 1, f"photo ({row}).jpg", str(CLASSES[SAID[row]]), float(100 * SURE[row]), str(CLASSES[TRUTH[row]])]
        for row in ROWS
    ]
    return workbook([["Results of March"], ["made by the model of 2025"], [], header, *rows])


def of_two_keyboards() -> bytes:
    typed = np.where(RNG.random(SIZE) < 0.5, "st\u0430y", "stay")
    truth = np.where(TRUTH == 1, typed, CLASSES[TRUTH])
    return delimited(",", "utf-8", prediction=CLASSES[SAID], confidence=SURE, label=truth)


MORE_HELD_OUT = (
    HeldOut("r.csv", of_r, {"Prediction": "prediction", "Prob.stay": "p_stay"}, ["Reference"], RIGHT),
    HeldOut("fasttext.tsv", of_fasttext, {"predicted": "prediction", "prob": "confidence"}, ["gold"], RIGHT),
    HeldOut("predict_results.txt", of_run_glue, {"prediction": "prediction"}),
    HeldOut("h2o.csv", of_h2o, {"predict": "prediction"}, ["CAPSULE"]),
    HeldOut("scored.csv", of_azure, {"Scored Labels": "prediction"}, ["income"]),
    HeldOut("bigquery.jsonl", of_bigquery, {"predicted_status": "prediction"}, ["status"]),
    HeldOut("vertex.jsonl", of_vertex, {"prediction.displayNames": "prediction"}),
    HeldOut("comprehend.jsonl", of_comprehend, {"Classes[0].Name": "prediction"}),
    HeldOut("rapidminer.csv", of_rapidminer, {"prediction(label)": "prediction", "label": "label"}, ["label"], RIGHT),
    HeldOut("knime.csv", of_knime, {"Prediction (Status)": "prediction"}, ["Status"]),
    HeldOut("sas.csv", of_sas, {"I_BAD": "prediction"}, ["F_BAD"]),
    HeldOut("langsmith.csv", of_langsmith, {"outputs": "output", "inputs": "input"}, ["feedback.correctness"]),
    HeldOut("trulens.parquet", of_trulens, {"output": "output", "input": "input"}),
    HeldOut("output_items.jsonl", of_openai_runs, {}, ["status"]),
    HeldOut(
        "lmsys.csv", of_lmsys, {"response_a": "output_a", "response_b": "output_b", "winner": "label"}, ["model_a"]
    ),
    HeldOut("whisper.csv", of_whisper, {"hypothesis": "output", "reference": "reference"}, ["WER (%)"]),
    HeldOut("media.table.json", of_weights_and_biases, {"guess": "prediction"}, ["truth"], RIGHT),
    HeldOut("service.jsonl", of_a_service, {"prediction.class": "prediction"}, ["ground_truth.class"], RIGHT),
    HeldOut("results.xlsx", of_an_office, {"Predicted class": "prediction"}, ["Checked by hand"]),
    HeldOut("keyboards.csv", of_two_keyboards, asks="Cyrillic small letter a"),
)
