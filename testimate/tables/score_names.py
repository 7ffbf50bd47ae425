"""What the name of a column of numbers says: whether larger is better, tells failures, or is a score at all."""

import re

from testimate.core.spellings import remembered
from testimate.tables.column_names import word_set

LARGER_IS_BETTER = word_set("""
    faithfulness correctness accuracy acc acc_norm exact_match success relevancy relevance precision recall f1 bleu
    rouge rouge_l meteor chrf similarity helpfulness quality coherence groundedness passed reward bertscore csat satisfaction
""")
SMALLER_IS_BETTER = word_set("wer cer ter loss perplexity ppl toxicity hallucination error bias distance nll")
"""Words in the name of a score that say in which direction it is better."""

TELL_FAILURES = word_set("""
    dsa lsa mdsa sae vae surprise uncertainty entropy gini deepgini margin variance std spread doubt risk novelty anomaly
    outlier ood chance suspicion disagreement
""")
"""Words in the name of a score that is larger where a failure is likelier."""

MADE_OF_TRUTH = word_set("""
    loss losses nll logloss log_loss cross_entropy xent brier error errors err mae mse rmse ape mape smape wer cer ter bleu
    chrf rouge rouge_l meteor f1 f1_score dice iou accuracy acc correctness exact_match em match
""")
"""Words in the name of a number that is made from a prediction and the truth."""

NO_SCORE = word_set("""
    id idx index epoch seed time timestamp date latency duration tokens cost hash start end ms created updated turn count
    usage length offset repeat
""")
"""Words in the name of a number that says nothing about how good an output is."""


FURTHER_NO_SCORE = word_set("runtime elapsed seconds secs price speed ttft throughput uid uuid qid temperature")
"""Further words of this kind, known since ``rules.FOUND``."""

COUNTS_OF = frozenset(
    {
        *("usage", "tokens", "token", "status", "code", "tstamp", "cost", "costs", "stats", "config"),
        *("step", "steps", "attempts"),
    }
)
"""Words anywhere in a path by which a number says how a call went, known since ``rules.LONE``."""

OF_PLACES = word_set("tier chapter page section paragraph chars characters")
"""Words in the name of a number by which it says where or how long something is, known since ``rules.FOUND``."""

OF_LANGUAGE_MODELS = ("gpt", "claude", "llama", "gemini", "mistral", "qwen", "deepseek")
JUDGE_NAMES = ("judge", "grader", "autorater", *OF_LANGUAGE_MODELS)
"""Beginnings of words in the name of a column with a judge's grades."""

MAY_JUDGE = word_set("score scores grade grades rating ratings stars evaluation") | LARGER_IS_BETTER
"""Words in the name of a number that may be a judge's grade."""


PIECES = word_set("""
    evidence evidences retrieved retrieval chunk chunks source sources citation citations document documents doc docs context
    contexts hit hits passage passages step steps
""")
"""Words in the name of a list of pieces from which an answer was made, or by which."""

SCORING = word_set("score scores metric metrics evaluator evaluators judge judges grader graders")
"""Words in the name of a record of scores, or of what gave them."""


@remembered
def path_end(name: str) -> str:
    """Return a path as it is compared: in lower case with underscores, without places in lists.

    >>> path_end("output.choices[0].message.content"), path_end("testCases.actualOutput")
    ('output.choices.message.content', 'test_cases.actual_output')
    """
    plain = re.sub(r"\[[0-9]+\]", "", name)
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).casefold()
    return re.sub(r"[ /-]+", "_", plain).strip("_ ")


def ends_in_model(name: str) -> bool:
    """Return whether a name ends as that of the name of a model, or of the model that judged.

    >>> [ends_in_model(name) for name in ("Model Name", "grader_model", "model", "model_class")]
    [True, True, False, False]
    """
    ends = re.split(r"[\W_]+", path_end(name))[-2:]
    return ends in (["model", "name"], ["model", "id"]) or (len(ends) > 1 and ends[-1] == "model" and names_judge(name))


def fields_of(name: str) -> list[str]:
    """Return the fields of a path as it is compared; a dot between two numbers, as in a version, parts none.

    >>> fields_of("anthropic/claude-4.5.answer"), fields_of("choices[0].message")
    (['anthropic_claude_4.5', 'answer'], ['choices', 'message'])
    """
    return re.split(r"(?<![0-9])\.|\.(?![0-9])", path_end(name))


def is_in_list(name: str) -> bool:
    """Return whether a path is that of a field of one of several records, not of the row as a whole.

    >>> is_in_list("evidences[0].url"), is_in_list("turns[0]"), is_in_list("pressure [0]")
    (True, True, False)
    """
    return re.search(r"\w\[[0-9]+\](\.|$)", name) is not None


def is_of_piece(name: str) -> bool:
    """Return whether a path is that of a field of one of several pieces: of what was retrieved, or of a step.

    >>> is_of_piece("evidence[0].target"), is_of_piece("retrievedChunks[0].text"), is_of_piece("choices[0].target")
    (True, True, False)
    """
    plain = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).casefold()
    return any(PIECES & {*re.split("[^a-z]+", field)} for field in re.findall(r"([^.\[\]]*)\[[0-9]+\]", plain))


def is_in_scores(name: str) -> bool:
    """Return whether a path is that of a field of scores, or of what gave them.

    >>> is_in_scores("scores.groundedness_output"), is_in_scores("judge.output"), is_in_scores("scored.output")
    (True, True, False)
    """
    return any(SCORING & {*re.split("[^a-z]+", field)} for field in path_end(name).split(".")[:-1])


def words_in(name: str) -> frozenset[str]:
    """Return the words of the last field of a path, and that field."""
    last = path_end(name).removesuffix(".value").removesuffix(".score").rpartition(".")[2]
    return frozenset({last, *re.split("[^a-z0-9]+", last)})


def direction_of(name: str) -> bool | None:
    """Return whether a larger score is better, as its name says; None where it does not.

    >>> direction_of("answer_relevancy"), direction_of("wer"), direction_of("score")
    (True, False, None)
    """
    words = words_in(name)
    if words & SMALLER_IS_BETTER:
        return False
    return True if words & LARGER_IS_BETTER else None


def tells_failures(name: str) -> bool:
    """Return whether the name of a score says that larger values mean a likelier failure.

    >>> tells_failures("lsa"), tells_failures("wer"), tells_failures("latency_ms"), tells_failures("score")
    (True, True, False, False)
    """
    return bool(words_in(name) & TELL_FAILURES) or direction_of(name) is False


def is_no_score(name: str) -> bool:
    """Return whether the name is that of a key, a time or a count.

    >>> is_no_score("latency_ms"), is_no_score("doc_id"), is_no_score("faithfulness")
    (True, True, False)
    """
    return bool(words_in(name) & NO_SCORE)


def says_where_or_how_long(name: str) -> bool:
    """Return whether the name of a number says where something is, how long it is, or what a retrieved piece is like.

    >>> [says_where_or_how_long(name) for name in ("chunks[0].score", "chapter_number", "context_chars", "quality")]
    [True, True, True, False]
    """
    words = {word.rstrip("0123456789") for word in words_in(name)}
    return is_of_piece(name) or bool(words & OF_PLACES)


def says_how_a_call_went(name: str) -> bool:
    """Return whether a word anywhere in a path says that a number is about a call: its tokens, its status, its cost.

    >>> says_how_a_call_went("gradingResult.tokensUsed.total"), says_how_a_call_went("response.status_code")
    (True, True)
    """
    return bool(COUNTS_OF & {*re.split("[^a-z0-9]+", path_end(name))})


def names_judge(name: str) -> bool:
    """Return whether the name of a column of numbers says that a judge gave them.

    >>> names_judge("llm_judge"), names_judge("gpt4_grade"), names_judge("judge_latency_ms"), names_judge("rating")
    (True, True, False, False)
    """
    begins = any(word.startswith(JUDGE_NAMES) for word in words_in(name))
    return (begins or "judge" in name.casefold()) and not is_no_score(name)


OF_SIZES = re.compile(
    r"v?[0-9]+[a-z]?|[0-9]+(b|bit|k)|mini|nano|turbo|pro|flash|large|medium|small|instruct|chat|opus|sonnet|haiku"
)


def is_named_after_model(name: str) -> bool:
    """Return whether a name is that of a language model and nothing else.

    >>> [is_named_after_model(name) for name in ("gpt-3", "Llama-3.1-8B-Instruct", "gpt4_answer", "gpt_score")]
    [True, True, False, False]
    """
    first, *rest = re.findall("[a-z0-9]+", name.casefold()) or [""]
    model = any(re.fullmatch(f"(chat)?{one}[0-9]*[a-z]?", first) for one in OF_LANGUAGE_MODELS)
    return model and all(map(OF_SIZES.fullmatch, rest))


OF_JUDGES = ("judge", "grader", "grading", "autorater", "autograder", "evaluator", "reviewer", "annotator")
"""Beginnings of words in the name of what a judge said."""


def is_of_judge(name: str) -> bool:
    """Return whether the name of a text says that a judge gave it; a model's own name does not.

    >>> is_of_judge("judge_answer"), is_of_judge("gpt4_answer")
    (True, False)
    """
    return any(word.startswith(OF_JUDGES) for word in words_in(name))


def is_in_judgment(name: str) -> bool:
    """Return whether a path is that of a field of what a judge said.

    >>> is_in_judgment("judgment.self_corrects"), is_in_judgment("judges_said"), is_in_judgment("answer.class")
    (True, False, False)
    """
    return "judg" in name.rpartition(".")[0].casefold()


def may_name_judge(name: str) -> bool:
    """Return whether a column of numbers of this name may be a judge's grades, or another number.

    >>> may_name_judge("rating"), may_name_judge("bleu"), may_name_judge("age")
    (True, True, False)
    """
    return bool(words_in(name) & MAY_JUDGE) and not names_judge(name) and not is_no_score(name)


OF_AMOUNTS = frozenset({"token", "tokens", "usage", "cost", "costs", "latency"})
"""Words anywhere in a path by which a number says how much there was of something, whatever that is."""

UNITS = frozenset(
    {"ms", "msec", "msecs", "millis", "sec", "secs", "second", "seconds", "minutes", "usd", "eur", "cents"}
)
"""Last words of a name by which a number says how long something took, or what it cost."""

AMOUNT = re.compile(r"[$€£]? ?[+-]?[0-9][0-9.,_]*([eE][+-]?[0-9]+)? ?(s|ms|sec|seconds|usd|%|[$€£])?", re.IGNORECASE)
"""A number, perhaps with its unit."""
