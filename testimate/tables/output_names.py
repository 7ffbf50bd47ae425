"""Words in the names of what stands beside an output that people judge: who wrote it, and what it is about."""

from testimate.tables.column_names import PREDICTING, word_set
from testimate.tables.evaluation_names import INPUT_KEYS
from testimate.tables.pairs import ACTUAL, BESIDE_ACTUAL, EXPECTED
from testimate.tables.score_names import PIECES

ANSWERS = frozenset({"answer", "answers"})
"""Names of what is right, and of what somebody answered."""

KEYS = (*INPUT_KEYS, "custom_id", "qid", "uid", "session_id", "conversation_id", "key")
"""Names of what says which input it is, where nothing shows the input itself."""

OF_INPUT_KEYS = frozenset({"id", "ids", "uid", "key"})
OF_OTHER_KEYS = word_set(
    "model system provider run call request response completion output batch trace span session thread user judge annotator"
    " worker rater"
)
"""Words in the name of a key, and those that say that it is not that of an input."""

MATERIAL = ("input", "inputs", "passage")
ASKS = ("instruction", "question", "query", "prompt", "task", "problem")
"""Names of what a question is about, and of what was asked of it."""


ABOUT_OUTPUT = frozenset(
    {
        *("reason", "reasons", "reasoning", "rationale", "explanation", "judgment", "judgement", "feedback", "comment"),
        *("critique", "note", "notes", "thought", "thoughts", "error", "result", "results", "strengths", "weaknesses"),
        *("review", "analysis", "summary", "evaluation", "trace", "log", "logs", "message", "messages"),
    }
)
"""Words in the name of a text that may be about an output, or how it was made."""

OF_PROGRAM = PREDICTING | word_set(
    "generated generation model hypothesis llm mt ai bot chatbot assistant reply candidate sampled system agent"
)
"""Words in the name of a text that say that a program wrote it."""

BESIDE_TEXTS = word_set(
    """
    title topic subject category source doc document url link path file passage context contexts persona description metadata
    meta date time author hint example examples template image audio code language chunk retrieved sources
    """
)
"""Words in the name of a text that stands beside questions and answers."""

OF_TRUTH = EXPECTED - {ACTUAL} | {"references", "official", "accepted", "sme", "oracle", "editor", "canonical"}
"""Words in the name of a text that say that it is right, or a person's."""

WANTED = BESIDE_ACTUAL | {"gold", "golden", "target", "correct"}
"""Those of them that say what should come out."""

RETRIEVED = PIECES | {"cited", "found", "ranked"}
"""Words in the name of what was retrieved for an answer, or cited in it."""

SURELY_RIGHT = word_set("expected expect ideal desired intended reference gold golden truth groundtruth correct")
"""Those of them that say so beside any other word."""

UNWANTED = word_set("unsafe failure failures wrong incorrect bad risk forbidden")
"""Words for what an output should not say."""

OF_KINDS = frozenset({"category", "topic", "type", "kind", "genre", "domain"})
"""Words in the name of what a question is about, in general, which is no question where it recurs."""

DATASETS = frozenset({"doc", "dataset", "datasetrow", "datasetitem", "example", "testcase"})
"""Names of the record of a question as its dataset has it."""

VERDICTS = word_set("grade graded grading verdict verdicts judgment judgments ruling")
"""Words in the name of a judge's decision about an output."""

OF_TESTS = frozenset({"tests", "assert", "asserts", "assertion", "assertions", "testcases"})
"""Words in the name of a text that an output is tested by."""

REWRITTEN = word_set(
    "corrected correction rewritten rewrite rewrote improved suggested suggestion fixed edited edit revised revision better"
)
"""Words in the name of a text that a person or a judge put in the place of an answer."""

MADE_OF_OUTPUT = REWRITTEN | word_set(
    "raw api parsed extracted short baseline base old previous prior competitor control"
)
"""Words in the name of an output for what was made of another one, or stands in its place."""

BY_PERSON = frozenset({"human", "expert", "annotator", "manual"})
"""Words in the name of a grade that say that a person gave it."""

POST_EDITED, EDITED = word_set("postedit postedits postedited mtpe pe"), word_set("edit edits edited editing")
"""Words in the name of a machine's translation that a person corrected, and those behind post."""

SURELY_WRITTEN = PREDICTING | word_set("generated generation model llm ai bot chatbot")
"""Words in the name of a text that no person wrote, whatever other words say."""

PLAIN_TEXTS = frozenset({"content", "text", "message", "result"})
"""Names of a text that say nothing about who gave it."""

OF_NAMES = word_set("id ids uid uuid guid qid idx index identifier name version provider family type key")
"""Words in the name of a text that is a name, of a model or of what it wrote."""

ABOUT_REPLY = word_set(
    "thinking think chain cot scratchpad plan context judge verdict err errors exception exceptions traceback stderr"
)
"""Further words of this kind, known since ``rules.FOUND``."""
