"""Evaluations of language models as people keep them in public repositories: the layouts, with answers of our own.

Of twenty such files, 9 were read right without a flag at first, 1 with a question, 6 refused and 4 read wrong without a word;
of twenty others after that 11, none, 6 and 3, and of ten more 3, none, 4 and 3.
"""

import json

import numpy as np

from tests.tables.evaluation_files import document, lines
from tests.tables.held_out_files import HeldOut

SIZE = 60
ROWS = range(SIZE)
RNG = np.random.default_rng(50)
RIGHT = (RNG.random(SIZE) < 0.7).tolist()
PLACES = [("Rome", "Oslo", "Bern", "Riga")[number] for number in RNG.integers(0, 4, SIZE)]
ASKED = [f"Name the capital that traveler number {row} visited last spring." for row in ROWS]
SAID = [f"Traveler number {row} went to {PLACES[row]}, I think." for row in ROWS]
TRUE = [f"The visit of traveler {row} was to {place} by train." for row, place in zip(ROWS, PLACES, strict=True)]
LODGED = [f"第{row}位旅客住在米兰城的一家旅馆里" for row in ROWS]
CHINESE = [f"第{row}位旅客去年春天坐火车去了罗马城" for row in ROWS]


def of_judged_pairs() -> bytes:
    """The truth beside what a judge decided in two games."""
    return lines(
        [
            {
                "pair_id": f"{row:08x}",
                "question": ASKED[row],
                "response_A": SAID[row],
                "response_B": TRUE[row],
                "label": "A>B" if RIGHT[row] else "B>A",
                "judgments": [
                    {"judgment": {"response": f"I prefer number {game} here."}, "decision": ("B>A", "A=B")[game]}
                    for game in (0, 1)
                ],
            }
            for row in ROWS
        ]
    )


def of_model_outputs() -> bytes:
    return document(
        [{"dataset": "helpful", "instruction": ASKED[row], "output": SAID[row], "generator": "our-7b"} for row in ROWS]
    )


def of_instructions_with_empty_inputs() -> bytes:
    return document(
        [{"instruction": ASKED[row], "input": "" if row % 5 else TRUE[row], "output": SAID[row]} for row in ROWS]
    )


def of_instructions_with_inputs() -> bytes:
    return document([{"instruction": ASKED[row], "input": TRUE[row], "output": SAID[row]} for row in ROWS])


def of_generated_predictions() -> bytes:
    """A language without spaces."""
    return lines(
        [{"prompt": f"用户：旅客{row}去了哪里？", "predict": CHINESE[row], "label": LODGED[row]} for row in ROWS]
    )


def of_patches() -> bytes:
    return lines(
        [
            {
                "model_name_or_path": "our-agent",
                "instance_id": f"project__project-{row}",
                "model_patch": f"diff --git a/f{row}.py b/f{row}.py\n- x = {row}\n+ x = {row + 1}\n",
            }
            for row in ROWS
        ]
    )


def of_turns() -> bytes:
    return lines(
        [
            {
                "question_id": 81 + row,
                "answer_id": f"{row:06x}",
                "model_id": "our-7b",
                "choices": [{"index": 0, "turns": [SAID[row], TRUE[row]]}],
                "tstamp": 1.7e9 + row,
            }
            for row in ROWS
        ]
    )


def of_a_judge() -> bytes:
    """The question and the answer in one text, and what a judge wrote of it."""
    return lines(
        [
            {
                "question_id": 81 + row,
                "model": "our-7b",
                "judge": ["a-judge", "single"],
                "user_prompt": f"### User:\n{ASKED[row]}\n### Assistant:\n{SAID[row]}",
                "judgment": f"The answer on traveler {row} is short. Rating: [[{row % 10}]]",
                "score": row % 10,
                "turn": 1,
            }
            for row in ROWS
        ]
    )


def of_several_tries() -> bytes:
    return document(
        [
            {"idx": 900 + row, "ys": [SAID[row], TRUE[row], SAID[row]], "accs": [RIGHT[row], True, RIGHT[row]]}
            for row in ROWS
        ]
    )


def of_prompts_with_turns() -> bytes:
    return document(
        {
            str(row): {
                "origin_prompt": [
                    {"role": "HUMAN", "prompt": ASKED[row - 1]},
                    {"role": "BOT", "prompt": TRUE[row - 1]},
                    {"role": "HUMAN", "prompt": ASKED[row]},
                ],
                "prediction": SAID[row],
                "gold": TRUE[row],
            }
            for row in ROWS
        }
    )


def of_choices() -> bytes:
    samples = [
        {
            "id": row,
            "epoch": 1,
            "input": ASKED[row],
            "choices": ["Rome", "Oslo", "Bern"],
            "target": "A",
            "output": {"completion": f"ANSWER: {'AB'[row % 2]} for {row}"},
            "scores": {"choice": {"value": "C" if RIGHT[row] else "I"}},
        }
        for row in ROWS
    ]
    return document({"version": 2, "status": "success", "samples": samples})


def of_a_batch() -> bytes:
    return lines(
        [
            {
                "id": f"batch_{row:06x}",
                "custom_id": f"task_{row}",
                "response": {
                    "status_code": 200 + (row == 7),
                    "body": {
                        "choices": [{"index": 0, "message": {"role": "assistant", "content": SAID[row]}}],
                        "usage": {"prompt_tokens": 40 + row, "total_tokens": 80 + 2 * row},
                    },
                },
            }
            for row in ROWS
        ]
    )


def of_lines_of_text() -> bytes:
    """One output in each line, with commas in some."""
    return "\n".join(
        said if row % 3 else said.replace(" went", ", as ever, went") for row, said in enumerate(SAID)
    ).encode()


def of_lines_of_classes() -> bytes:
    return "\n".join(PLACES).encode()


def of_numbers_by_key() -> bytes:
    return json.dumps({f"q{row}": int(RIGHT[row]) for row in ROWS}).encode()


def of_labels_before_texts() -> bytes:
    """A predicted class and its text in each line, and no header."""
    return "".join(f"{int(RIGHT[row])}\t{LODGED[row]}\n" for row in ROWS).encode()


def of_a_reply_with_its_source() -> bytes:
    """Where a message is from is not what was asked."""
    return lines(
        [
            {
                "index": row,
                "model_output": {
                    "choices": [{"message": {"content": SAID[row], "source": "generate", "role": "assistant"}}],
                    "usage": {"output_tokens": 200 + row},
                },
            }
            for row in ROWS
        ]
    )


def of_pairs_and_a_judges_winner() -> bytes:
    return document(
        [
            {
                "input": ASKED[row],
                "output_1": SAID[row],
                "output_2": TRUE[row],
                "label": 1 + RIGHT[row],
                "results": [{"swap = False": {"completion": f"Output ({row % 2}) it is.", "winner": f"{1 + row % 2}"}}],
            }
            for row in ROWS
        ]
    )


def of_three_annotators() -> bytes:
    return document(
        [
            {
                "idx": row,
                "instruction": ASKED[row],
                "input": TRUE[row],
                "response1": SAID[row],
                "response2": TRUE[row - 1],
                **{f"annotator{number}": (row + number) % 3 for number in (1, 2, 3)},
            }
            for row in ROWS
        ]
    )


def of_steps() -> bytes:
    """The steps of traces, of which every third calls a model."""
    kinds = ["CHAIN", "LLM", "RETRIEVER"]
    return lines(
        [
            {
                "span_id": f"{row:016x}",
                "attributes": {
                    "input.value": ASKED[row],
                    "output.value": SAID[row],
                    "openinference.span.kind": kinds[row % 3],
                    **({"chromadb.success": True} if row % 3 == 2 else {}),
                },
            }
            for row in ROWS
        ]
    )


def of_lists_side_by_side() -> bytes:
    chats = [[{"role": "system", "content": "Be exact."}, {"role": "user", "content": asked}] for asked in ASKED]
    replies = [
        {"created": 1 << 30, "content": said, "usage": {"total_tokens": 90 + row % 7}} for row, said in enumerate(SAID)
    ]
    return document({"msg_data": chats, "responses": replies, "system_prompt": "Be exact."})


def of_two_checks() -> bytes:
    checks = [
        {"base": "failed" if not right else "success", "plus": "success" if right and row % 9 else "failed"}
        for row, right in enumerate(RIGHT)
    ]
    return document({"date": "2024-01-29", "eval": {f"HumanEval/{row}": one for row, one in enumerate(checks)}})


def of_questions_alone() -> bytes:
    return lines([{"question_id": row, "question": ASKED[row], "reference": TRUE[row]} for row in ROWS])


def of_several_samples() -> bytes:
    return lines([{"task_id": f"DSP/{row // 3}", "completion": f"def f():\n    return {row} + x"} for row in ROWS])


def of_shared_contexts() -> bytes:
    """Several questions on one context."""
    contexts = [f"Refunds of kind {number} take seven days." for number in range(4)]
    return lines([{"query": ASKED[row], "response": SAID[row], "context": contexts[row % 4]} for row in ROWS])


def of_two_responses() -> bytes:
    return lines([{"prompt": ASKED[row], "response": [SAID[row], TRUE[row]], "index": row} for row in ROWS])


def of_two_arms() -> bytes:
    """Two systems on the same inputs, one below the other."""
    arms = [("regex", 0.3), ("student", 0.9)]
    random = np.random.default_rng(51)
    said = {arm: random.random(SIZE) < right for arm, right in arms}
    return lines(
        [
            {"id": f"{row:08x}", "arm": arm, "pred": PLACES[row if said[arm][row] else row - 1], "gold": PLACES[row]}
            for arm, _ in arms
            for row in ROWS
        ]
    )


def of_calls_with_tools() -> bytes:
    """Calls whose tools have parameters that lists of boxes have, too."""
    tools = [{"function": {"name": "search", "parameters": {"properties": {"categories": {}, "images": {}}}}}]
    return lines(
        [
            {
                "data_index": row,
                "request": {"messages": [{"role": "user", "content": ASKED[row]}], "tools": tools},
                "response": {"choices": [{"message": {"role": "assistant", "content": SAID[row]}}]},
                "status": "success" if row % 20 else "failed",
            }
            for row in ROWS
        ]
    )


KEPT = [
    HeldOut("contexts.jsonl", of_shared_contexts, {"query": "input", "response": "output", "context": "shown"}),
    HeldOut("two_responses.jsonl", of_two_responses, asks="The 120 rows are of 60 inputs by 'item_id'"),
    HeldOut("arms.jsonl", of_two_arms, asks="The 120 rows are of 60 inputs by 'id', told apart by 'arm'"),
    HeldOut(
        "calls.jsonl",
        of_calls_with_tools,
        {"request.messages": "input", "response.choices[0].message.content": "output"},
        ["status"],
    ),
    HeldOut("labels_first.txt", of_labels_before_texts, {"column 1": "prediction", "column 2": "text"}),
    HeldOut(
        "replies.jsonl",
        of_a_reply_with_its_source,
        {"model_output.choices[0].message.content": "output"},
        ["model_output.choices[0].message.source", "model_output.usage.output_tokens"],
    ),
    HeldOut(
        "llmbar.json",
        of_pairs_and_a_judges_winner,
        {"input": "input", "output_1": "output_a", "output_2": "output_b", "label": "label"},
        ["results[0].swap = False.winner", "results[0].swap = False.completion"],
    ),
    HeldOut(
        "annotators.json",
        of_three_annotators,
        {"instruction": "input", "input": "shown", "response1": "output_a", "response2": "output_b"},
        ["annotator1", "annotator2", "annotator3"],
    ),
    HeldOut("spans.jsonl", of_steps, {"attributes.input.value": "input", "attributes.output.value": "output"}),
    HeldOut("side_by_side.json", of_lists_side_by_side, {"msg_data": "input", "responses.content": "output"}),
    HeldOut("evalplus.json", of_two_checks, asks="'base' and 'plus' may each be the outcome"),
    HeldOut(
        "alignbench.jsonl", of_questions_alone, refuses="'question', 'reference', which were asked or expected. Add"
    ),
    HeldOut("samples.jsonl", of_several_samples, {"task_id": "shown", "completion": "output"}),
    HeldOut(
        "judged_pairs.jsonl",
        of_judged_pairs,
        {"question": "input", "response_A": "output_a", "response_B": "output_b", "label": "label"},
        ["judgments[0].decision"],
    ),
    HeldOut("model_outputs.json", of_model_outputs, {"instruction": "input", "output": "output"}),
    HeldOut(
        "alpaca_empty.json",
        of_instructions_with_empty_inputs,
        {"instruction": "input", "input": "shown", "output": "output"},
    ),
    HeldOut("alpaca.json", of_instructions_with_inputs, {"instruction": "shown", "input": "input", "output": "output"}),
    HeldOut(
        "generated_predictions.jsonl",
        of_generated_predictions,
        {"prompt": "input", "predict": "output", "label": "reference"},
    ),
    HeldOut("all_preds.jsonl", of_patches, {"model_patch": "output", "instance_id": "shown"}),
    HeldOut("our-7b.jsonl", of_turns, {"choices[0].turns": "output", "question_id": "shown"}, ["tstamp"]),
    HeldOut("gpt-4_single.jsonl", of_a_judge, refuses="nothing is called an output.*'user_prompt', 'judgment'"),
    HeldOut("sample_3.json", of_several_tries, asks="180 rows are of 60 inputs"),
    HeldOut(
        "opencompass.json",
        of_prompts_with_turns,
        {"origin_prompt": "input", "prediction": "output", "gold": "reference"},
    ),
    HeldOut("choices.json", of_choices, {"input": "input", "choices": "shown", "output.completion": "output"}),
    HeldOut(
        "batch_output.jsonl",
        of_a_batch,
        {"custom_id": "shown", "response.body.choices[0].message.content": "output"},
        ["response.status_code", "response.body.usage.total_tokens"],
    ),
    HeldOut("generated_predictions.txt", of_lines_of_text, refuses="texts are in 'line'.*--column output=line"),
    HeldOut("predictions.txt", of_lines_of_classes, {"line": "prediction"}),
    HeldOut("predictions.json", of_numbers_by_key, {"prediction": "prediction"}),
]
