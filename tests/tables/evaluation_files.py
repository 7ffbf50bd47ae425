"""Files as twenty tools write them, made by code after the public documentation of their formats: the fields are theirs."""

import io
import json
import random
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

ROWS = 24
QUESTIONS = [f"What is {row} plus {row}?" for row in range(ROWS)]
TRUTHS = [str(2 * row) for row in range(ROWS)]
RIGHT = [row % 4 != 0 for row in range(ROWS)]
ANSWERS = [str(2 * row) if right else f"about {row}" for row, right in enumerate(RIGHT)]


@dataclass(frozen=True)
class ToolFile:
    """What a tool wrote, and what it means: the column of each role, and the share that is right, where it is known."""

    content: bytes
    roles: Mapping[str, str]
    score: float | None = None
    format: str = ""


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def document(value: Any) -> bytes:
    return json.dumps(value, indent=2).encode()


def each_row(make: Callable[[int], dict[str, Any]]) -> list[dict[str, Any]]:
    return [make(row) for row in range(ROWS)]


def lm_evaluation_harness() -> ToolFile:
    def sample(row: int) -> dict[str, Any]:
        asked = {"gen_args_0": {"arg_0": f"Q: {QUESTIONS[row]}\nA:", "arg_1": {"until": ["\n"], "do_sample": False}}}
        return {
            "doc_id": row,
            "doc": {"question": QUESTIONS[row], "answer": TRUTHS[row]},
            "target": TRUTHS[row],
            "arguments": asked,
            "resps": [[ANSWERS[row]]],
            "filtered_resps": [ANSWERS[row]],
            "filter": "strict-match",
            "metrics": ["exact_match"],
            "doc_hash": f"{row:064x}",
            "prompt_hash": f"{row + 1:064x}",
            "target_hash": f"{row + 2:064x}",
            "exact_match": float(RIGHT[row]),
        }

    roles = {
        "output": "filtered_resps",
        "input": "arguments.gen_args_0.arg_0",
        "reference": "target",
        "outcome": "exact_match",
    }
    return ToolFile(lines(each_row(sample)), roles, 0.75, "JSON Lines")


def lm_evaluation_harness_choices() -> ToolFile:
    choices = [" ant", " bee", " cow"]

    def sample(row: int) -> dict[str, Any]:
        said = row % 3 if RIGHT[row] else (row + 1) % 3
        pairs = [[-0.5 if place == said else -2.0 - place, place == said] for place in range(3)]
        return {
            "doc_id": row,
            "doc": {"query": QUESTIONS[row], "choices": choices, "gold": row % 3},
            "target": row % 3,
            "arguments": {
                f"gen_args_{place}": {"arg_0": QUESTIONS[row], "arg_1": text} for place, text in enumerate(choices)
            },
            "resps": [[pair] for pair in pairs],
            "filtered_resps": pairs,
            "acc": float(RIGHT[row]),
            "acc_norm": float(RIGHT[row]),
        }

    roles = {"output": "filtered_resps", "input": "arguments.gen_args_0.arg_0", "reference": "target", "outcome": "acc"}
    return ToolFile(lines(each_row(sample)), roles, 0.75, "JSON Lines")


def _inspect_sample(row: int) -> dict[str, Any]:
    message = {"content": ANSWERS[row], "source": "generate", "role": "assistant", "model": "m"}
    return {
        "id": row + 1,
        "epoch": 1,
        "input": [{"role": "system", "content": "Be exact."}, {"role": "user", "content": QUESTIONS[row]}],
        "target": TRUTHS[row],
        "messages": [{"content": QUESTIONS[row], "role": "user"}, message],
        "output": {
            "model": "openai/m",
            "choices": [{"message": message, "stop_reason": "stop"}],
            "usage": {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12},
        },
        "scores": {
            "match": {
                "value": "C" if RIGHT[row] else "P" if row % 8 else "I",
                "answer": ANSWERS[row],
                "explanation": "…",
            }
        },
        "metadata": {},
        "store": {},
        "events": [
            {"event": "sample_init", "timestamp": "2025-01-01T00:00:00+00:00", "sample": {"input": QUESTIONS[row]}}
        ],
        "model_usage": {"openai/m": {"input_tokens": 9, "output_tokens": 3, "total_tokens": 12}},
    }


INSPECT_ROLES = {
    "output": "output.choices[0].message.content",
    "input": "input",
    "reference": "target",
    "label": "scores.match.value",
}
INSPECT_SCORE = 0.75 + 0.125 / 2
"""Six of 24 are not right, every second of them partly."""


def inspect_json() -> ToolFile:
    log = {
        "version": 2,
        "status": "success",
        "eval": {"task": "sums", "model": "openai/m", "dataset": {"samples": ROWS}},
        "results": {"total_samples": ROWS, "scores": [{"name": "match", "metrics": {}}]},
        "samples": each_row(_inspect_sample),
    }
    return ToolFile(document(log), INSPECT_ROLES, INSPECT_SCORE, "JSON, rows under 'samples'")


def inspect_eval() -> ToolFile:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2}))
        for row in range(ROWS):
            archive.writestr(f"samples/{row + 1}_epoch_1.json", json.dumps(_inspect_sample(row)))
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success"}))
        archive.writestr("summaries.json", "[]")
    return ToolFile(held.getvalue(), INSPECT_ROLES, INSPECT_SCORE, "inspect_ai log")


def promptfoo() -> ToolFile:
    def result(row: int) -> dict[str, Any]:
        return {
            "id": f"r{row}",
            "promptIdx": 0,
            "testIdx": row,
            "testCase": {"vars": {"number": row}, "assert": [{"type": "equals", "value": TRUTHS[row]}]},
            "provider": {"id": "openai:m", "label": ""},
            "prompt": {"raw": QUESTIONS[row], "label": "What is {{number}} plus {{number}}?"},
            "vars": {"number": row},
            "response": {"output": ANSWERS[row], "tokenUsage": {"total": 12}, "cached": False},
            "success": RIGHT[row],
            "score": float(RIGHT[row]),
            "latencyMs": 100 + row,
            "gradingResult": {"pass": RIGHT[row], "score": float(RIGHT[row]), "reason": "…"},
            "namedScores": {},
        }

    written = {
        "evalId": "eval-1",
        "results": {"version": 3, "results": each_row(result), "stats": {"successes": 18}},
        "config": {},
    }
    roles = {"output": "response.output", "input": "prompt.raw", "outcome": "success"}
    return ToolFile(document(written), roles, 0.75, "JSON, rows under 'results.results'")


def ragas() -> ToolFile:
    draw = random.Random(1)
    frame = pd.DataFrame(
        {
            "user_input": QUESTIONS,
            "retrieved_contexts": [["Sums are even.", f"{row} is a number."] for row in range(ROWS)],
            "response": ANSWERS,
            "reference": TRUTHS,
            "faithfulness": [round(draw.random(), 3) for _ in range(ROWS)],
            "answer_relevancy": [round(draw.random(), 3) for _ in range(ROWS)],
        }
    )
    roles = {"output": "response", "input": "user_input", "reference": "reference"}
    return ToolFile(frame.to_csv(index=False).encode(), roles, None, "CSV")


def deepeval() -> ToolFile:
    def case(row: int) -> dict[str, Any]:
        metric = {
            "name": "Correctness",
            "threshold": 0.5,
            "success": RIGHT[row],
            "score": float(RIGHT[row]),
            "reason": "…",
        }
        return {
            "name": f"test_case_{row}",
            "input": QUESTIONS[row],
            "actualOutput": ANSWERS[row],
            "expectedOutput": TRUTHS[row],
            "success": RIGHT[row],
            "metricsData": [metric],
            "runDuration": 1.5,
        }

    roles = {"output": "actualOutput", "input": "input", "reference": "expectedOutput", "outcome": "success"}
    return ToolFile(
        document({"testCases": each_row(case), "testPassed": 18}), roles, 0.75, "JSON, rows under 'testCases'"
    )


def alpaca_eval() -> ToolFile:
    def pair(row: int) -> dict[str, Any]:
        return {
            "instruction": QUESTIONS[row],
            "output_1": ANSWERS[row],
            "generator_1": "baseline",
            "dataset": "helpful_base",
            "output_2": TRUTHS[row],
            "generator_2": "m",
            "annotator": "weighted_alpaca_eval_gpt4_turbo",
            "preference": [1.02, 1.98, 1.5, 1.7][row % 4],
        }

    roles = {"output_a": "output_1", "output_b": "output_2", "input": "instruction", "label": "preference"}
    return ToolFile(document(each_row(pair)), roles, 0.25 + 0.125, "JSON")


def judge_bench() -> ToolFile:
    def pair(row: int) -> dict[str, Any]:
        return {
            "pair_id": f"p{row}",
            "original_id": row,
            "source": "livebench-math",
            "question": QUESTIONS[row],
            "response_model": "gpt-4o-2024-05-13",
            "response_A": ANSWERS[row],
            "response_B": TRUTHS[row],
            "label": "A>B" if row % 3 else "B>A",
        }

    roles = {"output_a": "response_A", "output_b": "response_B", "input": "question", "label": "label"}
    return ToolFile(lines(each_row(pair)), roles, 2 / 3, "JSON Lines")


def arena() -> ToolFile:
    def battle(row: int) -> dict[str, Any]:
        asked = {"content": QUESTIONS[row], "role": "user"}
        return {
            "question_id": f"q{row}",
            "model_a": "vicuna-13b",
            "model_b": "koala-13b",
            "winner": ["model_a", "model_b", "tie", "tie (bothbad)"][row % 4],
            "judge": f"arena_user_{row}",
            "conversation_a": [asked, {"content": ANSWERS[row], "role": "assistant"}],
            "conversation_b": [asked, {"content": TRUTHS[row], "role": "assistant"}],
            "turn": 1,
            "language": "English",
        }

    roles = {
        "output_a": "conversation_a.output",
        "output_b": "conversation_b.output",
        "input": "conversation_a.input",
        "label": "winner",
    }
    held = io.BytesIO()
    pd.DataFrame(each_row(battle)).to_parquet(held)
    return ToolFile(held.getvalue(), roles, 0.5, "Parquet")


def chat_completions() -> ToolFile:
    def chat(row: int) -> dict[str, Any]:
        turns = [("system", "Be exact."), ("user", QUESTIONS[row]), ("assistant", ANSWERS[row])]
        return {"messages": [{"role": role, "content": text} for role, text in turns]}

    return ToolFile(lines(each_row(chat)), {"output": "messages.output", "input": "messages.input"}, None, "JSON Lines")


def share_gpt() -> ToolFile:
    def chat(row: int) -> dict[str, Any]:
        turns = [("human", QUESTIONS[row]), ("gpt", ANSWERS[row])]
        return {"id": f"c{row}", "conversations": [{"from": who, "value": text} for who, text in turns]}

    roles = {"output": "conversations.output", "input": "conversations.input"}
    return ToolFile(document(each_row(chat)), roles, None, "JSON")


def batch_of_requests() -> ToolFile:
    def line(row: int) -> dict[str, Any]:
        message = {"role": "assistant", "content": ANSWERS[row], "refusal": None}
        body = {"id": f"chatcmpl-{row}", "object": "chat.completion", "choices": [{"index": 0, "message": message}]}
        return {"id": f"b{row}", "custom_id": f"q{row}", "response": {"status_code": 200, "body": body}, "error": None}

    roles = {"output": "response.body.choices[0].message.content"}
    return ToolFile(lines(each_row(line)), roles, None, "JSON Lines")


def mlflow_traces() -> ToolFile:
    def trace(row: int) -> dict[str, Any]:
        request = {"messages": [{"role": "user", "content": QUESTIONS[row]}]}
        reply = {"choices": [{"index": 0, "message": {"role": "assistant", "content": ANSWERS[row]}}]}
        return {
            "trace_id": f"tr-{row}",
            "state": "OK",
            "request_time": 1_700_000_000_000 + row,
            "execution_duration": 120,
            "request": json.dumps(request),
            "response": json.dumps(reply),
            "assessments": [{"assessment_name": "correct", "feedback": {"value": "yes" if RIGHT[row] else "no"}}],
            "tags": {"mlflow.traceName": "answer"},
        }

    roles = {
        "output": "response.choices[0].message.content",
        "input": "request.messages",
        "label": "assessments[0].feedback.value",
    }
    return ToolFile(lines(each_row(trace)), roles, 0.75, "JSON Lines")


def open_telemetry() -> ToolFile:
    def said(role: str, text: str) -> dict[str, str]:
        return {"stringValue": json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])}

    def span(row: int) -> dict[str, Any]:
        attributes = [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.usage.input_tokens", "value": {"intValue": "9"}},
            {"key": "gen_ai.input.messages", "value": said("user", QUESTIONS[row])},
            {"key": "gen_ai.output.messages", "value": said("assistant", ANSWERS[row])},
        ]
        return {
            "traceId": f"{row:032x}",
            "spanId": f"{row:016x}",
            "name": "chat m",
            "kind": 3,
            "attributes": attributes,
        }

    other = {"traceId": "0" * 32, "spanId": "f" * 16, "name": "GET /", "attributes": []}
    spans = [*each_row(span), other]
    written = {
        "resourceSpans": [{"resource": {"attributes": []}, "scopeSpans": [{"scope": {"name": "x"}, "spans": spans}]}]
    }
    roles = {"output": "attributes.gen_ai.output.messages", "input": "attributes.gen_ai.input.messages"}
    return ToolFile(document(written), roles, None, "JSON, rows under 'resourceSpans'")


def helm() -> ToolFile:
    def state(row: int) -> dict[str, Any]:
        references = [{"output": {"text": "never"}, "tags": []}, {"output": {"text": TRUTHS[row]}, "tags": ["correct"]}]
        return {
            "instance": {
                "input": {"text": QUESTIONS[row]},
                "references": references,
                "split": "test",
                "id": f"id{row}",
            },
            "train_trial_index": 0,
            "request": {"model": "openai/m", "prompt": f"Question: {QUESTIONS[row]}\nAnswer:", "temperature": 0.0},
            "result": {
                "success": True,
                "cached": False,
                "completions": [{"text": ANSWERS[row], "logprob": -1.0, "tokens": []}],
            },
        }

    roles = {
        "output": "result.completions[0].text",
        "input": "instance.input.text",
        "reference": "instance.references[0].output.text",
    }
    written = {"adapter_spec": {"method": "generation"}, "request_states": each_row(state)}
    return ToolFile(document(written), roles, None, "JSON, rows under 'request_states'")


def humaneval() -> ToolFile:
    def sample(row: int) -> dict[str, Any]:
        return {
            "task_id": f"HumanEval/{row}",
            "prompt": f"def double_{row}(x):\n",
            "canonical_solution": "    return 2 * x\n",
            "completion": "    return x + x\n" if RIGHT[row] else "    return x\n",
            "result": "passed" if RIGHT[row] else "failed: assertion",
            "passed": RIGHT[row],
        }

    roles = {"output": "completion", "input": "prompt", "reference": "canonical_solution", "outcome": "passed"}
    return ToolFile(lines(each_row(sample)), roles, 0.75, "JSON Lines")


def nemo_manifest() -> ToolFile:
    def utterance(row: int) -> dict[str, Any]:
        return {
            "audio_filepath": f"wavs/{row:04}.wav",
            "duration": 1.5 + row / 10,
            "text": f"the number {row}",
            "pred_text": f"the number {row}" if RIGHT[row] else "the lumber",
            "wer": 0.0 if RIGHT[row] else 0.67,
        }

    roles = {"output": "pred_text", "input": "audio_filepath", "reference": "text"}
    return ToolFile(lines(each_row(utterance)), roles, None, "JSON Lines")


WORDS = ["Positive", "Negative", "Neutral"]


def label_studio() -> ToolFile:
    def choice(word: str) -> dict[str, Any]:
        return {"from_name": "sentiment", "to_name": "text", "type": "choices", "value": {"choices": [word]}}

    def task(row: int) -> dict[str, Any]:
        said = WORDS[row % 3] if RIGHT[row] else WORDS[(row + 1) % 3]
        return {
            "id": row + 1,
            "data": {"text": QUESTIONS[row]},
            "annotations": [
                {"id": 100 + row, "completed_by": 1, "was_cancelled": False, "result": [choice(WORDS[row % 3])]}
            ],
            "predictions": [{"model_version": "v1", "score": 0.4 + row / 100, "result": [choice(said)]}],
            "created_at": "2025-01-01T00:00:00Z",
        }

    roles = {
        "prediction": "predictions[0].result[0].value.choices",
        "label": "annotations[0].result[0].value.choices",
        "confidence": "predictions[0].score",
        "text": "data.text",
    }
    return ToolFile(document(each_row(task)), roles, 0.75, "JSON")


def argilla() -> ToolFile:
    def record(row: int) -> dict[str, Any]:
        return {
            "id": f"r{row}",
            "status": "completed",
            "text": QUESTIONS[row],
            "sentiment.responses": [WORDS[row % 3]],
            "sentiment.responses.users": ["eve"],
            "sentiment.responses.status": ["submitted"],
            "sentiment.suggestion": WORDS[row % 3] if RIGHT[row] else WORDS[(row + 1) % 3],
            "sentiment.suggestion.score": 0.4 + row / 100,
            "sentiment.suggestion.agent": "m",
        }

    roles = {
        "prediction": "sentiment.suggestion",
        "label": "sentiment.responses",
        "confidence": "sentiment.suggestion.score",
        "text": "text",
    }
    return ToolFile(document(each_row(record)), roles, 0.75, "JSON")


def prodigy() -> ToolFile:
    def answer(row: int) -> dict[str, Any]:
        return {
            "text": QUESTIONS[row],
            "label": WORDS[row % 3].upper(),
            "meta": {"score": 0.4 + row / 100},
            "_input_hash": 1000 + row,
            "_task_hash": -row,
            "_session_id": None,
            "_view_id": "classification",
            "answer": "accept" if RIGHT[row] else "reject",
        }

    roles = {"prediction": "label", "outcome": "answer", "confidence": "meta.score", "text": "text"}
    return ToolFile(lines(each_row(answer)), roles, 0.75, "JSON Lines")


TOOLS: Mapping[str, Callable[[], ToolFile]] = {
    "lm-evaluation-harness": lm_evaluation_harness,
    "lm-evaluation-harness, choices": lm_evaluation_harness_choices,
    "inspect_ai, JSON": inspect_json,
    "inspect_ai, .eval": inspect_eval,
    "promptfoo": promptfoo,
    "Ragas": ragas,
    "DeepEval": deepeval,
    "AlpacaEval": alpaca_eval,
    "JudgeBench": judge_bench,
    "Chatbot Arena": arena,
    "chat messages": chat_completions,
    "ShareGPT": share_gpt,
    "a batch of requests": batch_of_requests,
    "MLflow traces": mlflow_traces,
    "OpenTelemetry": open_telemetry,
    "HELM": helm,
    "HumanEval": humaneval,
    "NeMo manifest": nemo_manifest,
    "Label Studio": label_studio,
    "Argilla": argilla,
    "Prodigy": prodigy,
}
"""What writes each file, by the name of the tool."""
