"""What the fields of other tools' evaluations are called: one table of names for each role, and the questions on a name.

A name is the end of a path: ``choices.message.content`` is that of ``output.choices[0].message.content``, and ``*`` any field.
"""

from collections.abc import Mapping

from testimate.core.spellings import remembered
from testimate.tables.column_names import in_english, word_set
from testimate.tables.pairs import ASKED, EXPECTED
from testimate.tables.rules import COUNTED, FOUND, LONE, PAIRED, TOLD
from testimate.tables.score_names import fields_of, path_end


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FURTHER: Mapping[int, Mapping[str, tuple[str, ...]]] = {
    LONE: {
        "output_a": _names("response1 answer1 output1 completion1"),
        "output_b": _names("response2 answer2 output2 completion2"),
        "output": _names("""
            model_patch choices.turns choices.turns.content model_outputs generated_response generated_code generated_sql
            predicted_sql llm_output llm_response llm_answer ai_output ai_response ai_answer bot_response bot_answer
            chatbot_response rag_answer rag_response assistant_response system_output system_response agent_output
            agent_response agent_answer final_output final_response final_answer full_response raw_output raw_response
            candidate_answer actual_answer actual_response response_text answer_text responses.content output_list code_list
            completions generations responses ys
        """),
        "input": _names("""
            origin_prompt user_query user_question user_prompt user_message problem_statement question_content question_text
            query_text full_prompt test_input
        """),
        "reference": _names("""
            expected_answer expected_response ground_truth_answer golden_answer gold_answers reference_text
            reference_summary reference_code target_text gold_patch correct_answers
        """),
        "outcome": _names("graded_list accs"),
    },
    FOUND: {
        "output": _names("""
            output_messages responses.text completions.content outputs.text outputs.content generations.text
            generations.content candidates.text candidates.content replies.text replies.content
            generation.text generation.content continuation.text completion.text decoded
        """),
        "input": _names("value.messages input_messages messages prompt.text question.text"),
        "label": _names("""
            human_label human_annotation human_judgment human_eval human_evaluation human_feedback expert_label
            expert_rating expert_grade expert_score expert_verdict
        """),
        "outcome": _names("follow_all_instructions"),
        "reference": _names("expect expects expectation truth post_edited postedited post_edit right_answer"),
    },
}
"""Names known since some rules, after the earlier ones of each role."""


EARLIER: Mapping[str, tuple[str, ...]] = {
    "output_a": _names("""
        output_1 response_a answer_a completion_a output_a response_1 answer_1 completion_1 conversation_a.output
        answer1_body chosen.output chosen
    """),
    "output_b": _names("""
        output_2 response_b answer_b completion_b output_b response_2 answer_2 completion_2 conversation_b.output
        answer2_body rejected.output rejected
    """),
    "output": _names("""
        filtered_resps output.completion choices.message.content response.output actual_output completions.text
        predicted_text gen_ai.output.messages gen_ai.completion output.value pred_text predicted_answer pred_answer
        prediction_text sampled messages.output conversations.output conversation.output model_answer model_output
        model_response output_text generated_text generation generated completion response response_preview resps
        hypothesis solution output outputs answer reply output.content response.content output.text generated_summary
        generated_answer mt model_response.text hyp
    """),
    "input": _names("""
        arguments.gen_args_0.arg_0 prompt.raw instance.input.text user_input instruction gen_ai.input.messages
        gen_ai.prompt input.value question audio_filepath request.messages request.messages.input prompt input inputs
        query problem messages.input conversations.input conversation.input conversation_a.input chosen.input request
        request_preview arguments input.messages article source src document
    """),
    "reference": _names("""
        references.output.text expected_output canonical_solution ground_truth ground_truths reference reference_output
        reference_outputs reference_answer gold_answer correct_answer target gold ideal expected best_answer answers answer text
        highlights ref transcript
    """),
    "label": _names("""
        preference winner scores.*.value scores.value judgments.decision label human_preference verdict grade rating
        annotations.value.rating assessments.feedback.value human_score score.value
        human_verdict human_grade human_rating vote
    """),
    "outcome": _names("""
        acc exact_match success passed pass is_correct correct grading_result.pass result base_status stats.exact_match
        status match matches matched is_match
    """),
}


NAMES = {
    role: (*names, *(name for further in FURTHER.values() for name in further.get(role, ())))
    for role, names in EARLIER.items()
}
"""The names of each role, the most telling first."""


CALLED_AS_BOTH = frozenset(_names("answer answers solution solutions completion completions summary text"))
"""Names of an output that datasets give to what is right, too."""


SINCE: Mapping[str, int] = {
    **dict.fromkeys(_names("output.content response.content output.text generated_summary generated_answer mt"), TOLD),
    **dict.fromkeys(_names("input.messages article source src highlights ref"), TOLD),
    **dict.fromkeys(_names("model_response.text hyp transcript"), COUNTED),
    **dict.fromkeys(
        _names("match matches matched is_match human_verdict human_grade human_rating vote document"), PAIRED
    ),
    **{name: since for since, further in FURTHER.items() for names in further.values() for name in names},
}
"""The first rules by which some of these names are known; tables read by those before do not know them."""


UNTIL: Mapping[str, int] = {"judgments.decision": PAIRED}
"""The last rules by which some names are known: what a judge decided is no truth where the label stands beside it."""


CLASSES: Mapping[str, tuple[str, ...]] = {
    "prediction": _names("""
        predictions.result.value.choices predictions.result.value.rating suggestion suggestion.value prediction.label
        predictions.label options.id prediction
    """),
    "label": _names("""
        annotations.result.value.choices annotations.result.value.rating responses responses.value annotation.label
        annotation accept
    """),
    "confidence": _names("predictions.score suggestion.score prediction.score options.meta options.score meta.score"),
    "outcome": ("answer",),
    "text": ("data.text", "text"),
    "image": ("data.image",),
    "audio": ("data.audio",),
}
"""The same for labels that people gave to predicted classes: Label Studio, Argilla, Prodigy."""


NO_ROLE = frozenset({"result.success", "response.success", "request.success"})
"""Ends of paths that look like one of these names: whether a call was answered, not whether the answer is right."""


NO_GRADES = ("prompt.label", "provider.label")
"""Ends of paths of how something is called in promptfoo."""


MOST_COLUMNS = 2_000
"""Columns whose names are looked at."""

INPUT_KEYS = _names(
    "doc_id question_id pair_id task_id instance.id instance_id sample_id test_idx prompt_id item_id example_id id"
)
"""Names of the key of an input, which several rows may have: one for each epoch, filter or annotator."""


WRONG_ONES = frozenset({"wrong", "incorrect", "distractor", "distractors"})
"""Words in the name of an answer that a question offers beside the right one, and that no system gave."""


OF_KEYS = frozenset({"id", "ids", "uid", "uuid", "guid", "qid", "idx"})
"""Words in the name of a column that tells rows apart."""


def names_by(rules: int) -> dict[str, tuple[str, ...]]:
    """The names of each role that a set of rules knows."""
    return {
        role: tuple(end for end in ends if SINCE.get(end, rules) <= rules <= UNTIL.get(end, rules))
        for role, ends in NAMES.items()
    }


@remembered
def is_called_input_or_reference(name: str) -> bool:
    """Return whether a name is that of a question, or of what was expected.

    >>> [is_called_input_or_reference(name) for name in ("Question", "doc.target", "text")]
    [True, True, False]
    """
    path = path_end(in_english(name))
    found = {*_ends_of(path, "input"), *_ends_of(path, "reference")}
    return bool(found - {"text", "output", "answers", "answer"})


@remembered
def is_called_input(name: str) -> bool:
    """Return whether a name is that of a question.

    >>> [is_called_input(name) for name in ("Question", "doc.target", "user_prompt")]
    [True, False, True]
    """
    return bool(_ends_of(path_end(in_english(name)), "input"))


@remembered
def is_called_grade(name: str) -> bool:
    """Return whether a name is that of a grade that a person gave, and not how a prompt is called.

    >>> [is_called_grade(name) for name in ("rating", "human_score", "length", "prompt.label")]
    [True, True, False, False]
    """
    path = path_end(in_english(name))
    return not path.endswith(NO_GRADES) and bool(_ends_of(path, "label"))


def are_twins(name: str, other: str) -> bool:
    """Return whether two paths are of the same field in two records side by side, and none says that it was expected.

    >>> [are_twins(*names) for names in (("dense.answer", "hybrid.answer"), ("true.answer", "said.answer"), ("a", "a"))]
    [True, False, False]
    """
    parts = [fields_of(in_english(one)) for one in (name, other)]
    above = {word for one in parts for word in one[0].split("_")}
    return len(parts[0]) > 1 and parts[0][0] != parts[1][0] and parts[0][1:] == parts[1][1:] and not EXPECTED & above


@remembered
def is_called_output(name: str, *, above: bool = False) -> bool:
    """Return whether a name is that of what a model gave, or has a word for it and none for what was asked or expected.

    ``above`` : whether the name of the record that it is a field of may say so, too.

    >>> [is_called_output(name) for name in ("choices[0].message.content", "base_answer", "lora output", "correct answer")]
    [True, True, True, False]
    """
    path = path_end(in_english(name))
    parts = path.split(".")[-2 if above else -1 :]
    words = {word for part in parts for word in part.split("_")}
    within = len(parts) > 1 and bool(GIVEN & {*parts[0].split("_")})
    if (EXPECTED | ASKED) & words or (not within and is_called_input_or_reference(name)):
        return False
    return bool(GIVEN & words) or bool(_ends_of(path, "output"))


EXAMINED = word_set(
    "student students pupil pupils learner learners examinee candidates applicant applicants respondent"
)
"""Words in the name of an answer for who gave it, about which a program says something."""

GIVEN = frozenset(
    _names("""
        output outputs response responses answer answers reply replies completion completions generation generated prediction
        predicted pred hypothesis translation summary
    """)
)
"""Words in the name of a text that a model gave."""


BY_FIELD = {
    role: {
        field: [end for end in ends if end.rpartition(".")[2] == field]
        for field in {e.rpartition(".")[2] for e in ends}
    }
    for role, ends in NAMES.items()
}
"""The names of each role by their last field, which is "*" where that may be any."""


def _ends_of(path: str, role: str) -> list[str]:
    """The names of a role in which a path ends."""
    ends = BY_FIELD[role]
    return [end for field in (path.rpartition(".")[2], "*") for end in ends.get(field, ()) if ends_in(path, end)]


def ends_in(path: str, end: str) -> bool:
    """Whether a path ends in these fields, and in none that only look like them."""
    if not (end.endswith("*") or path.endswith(end.rpartition(".")[2])):
        return False  # as most do, of many paths and many ends
    fields, wanted = path.split("."), end.split(".")
    if len(fields) < len(wanted) or ".".join(fields[-2:]) in NO_ROLE or (end == "answer" and fields[0] == "scores"):
        return False
    return all(want in ("*", field) for field, want in zip(fields[-len(wanted) :], wanted, strict=True))
