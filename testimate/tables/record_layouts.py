"""Records in layouts that no name tells: texts in lists, and chats whose speakers and turns have names of their own."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from testimate.core.spellings import bare
from testimate.core.words import commas
from testimate.tables.cells import INPUT, OUTPUT
from testimate.tables.column_names import OF_PREDICTIONS, word_set, words_of
from testimate.tables.evaluation_names import is_called_output
from testimate.tables.evaluation_records import OF_RECORD, OF_TRY
from testimate.tables.first_cells import looks_like_sentence
from testimate.tables.records import MARK, MODELS, ROLE_KEYS, chat_text, turns_of
from testimate.tables.score_names import JUDGE_NAMES

TEXT = "generation"
"""The column of the texts of a list, of which nothing is known but that a model gave them."""

ON_TEXTS = "Nothing says what the texts in the list are. They are read as what a model gave."
"""The sentence on such a table."""

FEWEST_TEXTS, FEWEST_TRIES = 10, 3
"""Texts below which a list is no table of them, and texts in each list from which on they are tries: two may be a pair."""

USERS = word_set("""
    user human person student pupil learner patient customer client caller visitor guest seeker buyer shopper citizen child
    prospect requester questioner asker
""")
"""Words in the name of a speaker who is no model."""

NEITHER = frozenset({"system", "developer", "tool", "function", "narrator"})
"""Speakers who are neither."""

SPEAKER_KEYS = frozenset({*ROLE_KEYS, "sender", "who", "name", "participant", "party", "side", "actor", "agent"})
"""Names of fields that say who speaks."""

MOST_SPEAKERS, ALTERNATE = 6, 0.9
"""Speakers of all chats of a file, and the share of turns whose speaker is not that of the turn before."""

LOOKED_AT = 200
"""Records of which the fields tell whether they hold chats."""


def rows_of_texts(document: Any) -> list[Mapping[str, Any]] | None:
    """Return a row for each text of a list, or of lists of one text or of several tries each; None for any other document.

    >>> rows_of_texts([[f"def f{place}(x): return x + {place}"] for place in range(10)])[3]
    {'generation': 'def f3(x): return x + 3'}
    >>> rows_of_texts([[f"The answer to {place} is {k}." for k in range(3)] for place in range(10)])[4]
    {'item_id': 1, 'repeat': 1, 'generation': 'The answer to 1 is 1.'}
    """
    if not isinstance(document, list) or len(document) < FEWEST_TEXTS:
        return None
    lists = [one if isinstance(one, list) else [one] for one in document]
    texts = [text for one in lists for text in one]
    if not all(lists) or not all(isinstance(text, str) for text in texts):
        return None
    several = max(map(len, lists)) > 1
    if several and (min(map(len, lists)) < FEWEST_TRIES or any(isinstance(one, str) for one in document)):
        return None
    recur = 2 * len({*texts}) <= len(texts) and len({*texts}) > 1
    prose = 2 * sum(looks_like_sentence(text) or "\n" in text for text in texts) > len(texts)
    if not (prose or (recur and not several)):
        return None
    if not several:
        return [{TEXT: text} for text in texts]
    tries = ((place, number, text) for place, one in enumerate(lists) for number, text in enumerate(one))
    return [{OF_RECORD: place, OF_TRY: number, TEXT: text} for place, number, text in tries]


class Spoken(NamedTuple):
    """How the turns of the chats in a field are written, and who are models.

    ``path`` : the field, perhaps of an object. ``speaker``, ``text`` : the fields of a turn, "" where the usual ones have
    them. ``models`` : the speakers that are models, none where nothing says who is.
    """

    path: tuple[str, ...]
    speaker: str
    text: str
    models: frozenset[str]

    @property
    def name(self) -> str:
        """The field, as its column is called."""
        return ".".join(self.path)

    def turns(self, chat: Any) -> list[tuple[str, str]]:
        """The speaker and the text of each turn; none where this is no chat."""
        if not _are_objects(chat):
            return []
        if not self.speaker:
            return turns_of(chat) or []
        return [(str(turn.get(self.speaker)), str(turn.get(self.text) or "")) for turn in chat or ()]

    def held_by(self, record: Mapping[str, Any]) -> Any:
        """The chat of a record; None where it has none."""
        value: Any = record
        for name in self.path:
            value = value.get(name) if isinstance(value, dict) else None
        return value


def spoken_in(records: Sequence[Mapping[str, Any]]) -> Spoken | None:
    """Return how the only field of records with chats has its speakers and turns; None where none, or several, have such.

    Or where the usual fields say whose turn is the last, and that is a model's or another field holds its answer.

    >>> asked, said = {"by": "Pupil", "said": "Why is it {}?"}, {"by": "Tutor", "said": "Let us see {}."}
    >>> numbered = lambda turn, place: {**turn, "said": turn["said"].format(place)}
    >>> spoken_in([{"talk": [numbered(asked, place), numbered(said, place)]} for place in range(20)])
    Spoken(path=('talk',), speaker='by', text='said', models=frozenset({'Tutor'}))
    """
    held: dict[tuple[str, ...], list[Any]] = {}
    for one in records[:LOOKED_AT]:
        for name, value in one.items():
            inside = (
                {(name, inner): values for inner, values in value.items()}
                if isinstance(value, dict)
                else {(name,): value}
            )
            for path, values in inside.items():
                if _are_objects(values):
                    held.setdefault(path, []).append(values)
    found = [spoken for path, chats in held.items() if (spoken := _spoken(path, chats)) is not None]
    if len(found) != 1:
        return None
    names = {name for one in records[:LOOKED_AT] for name, value in one.items() if value} - {found[0].path[0]}
    answered = any(is_called_output(name) or bare(name) in OF_PREDICTIONS for name in names)
    return None if answered and not found[0].speaker else found[0]


def _are_objects(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _spoken(path: tuple[str, ...], chats: Sequence[Any]) -> Spoken | None:
    """How the turns in these lists are written, if they are chats of which nothing known says what the model's turn is."""
    turns = [turn for chat in chats for turn in chat]
    usual = [turns_of(chat) or [] for chat in chats]
    models = {speaker for chat in usual for speaker, _ in chat if speaker.casefold() in MODELS}
    if models:
        ends = [chat[-1][0] for chat in usual if models & {speaker for speaker, _ in chat}]
        left_out = any(speaker.casefold() not in MODELS | NEITHER for speaker in ends)
        return Spoken(path, "", "", frozenset(models)) if left_out and all(usual) else None
    if 2 * sum(len(chat) > 1 for chat in chats) < len(chats):
        return None
    named = [key for key in turns[0] if all(isinstance(turn.get(key), str) and turn[key] for turn in turns)]
    speakers = [key for key in named if _alternate(chats, key)]
    texts = [
        key for key in named if key not in speakers and 2 * sum(looks_like_sentence(t[key]) for t in turns) > len(turns)
    ]
    if not texts:
        return None
    for key in speakers:
        spoke = {turn[key] for turn in turns if turn[key].casefold() not in NEITHER}
        users = {one for one in spoke if USERS & words_of(one)}
        models = {*filter(_names_model, spoke)} or (spoke - users if users else set())
        if len(spoke) > 1 and (users or models or key.casefold() in SPEAKER_KEYS):
            return Spoken(path, key, max(texts, key=lambda one: sum(len(t[one]) for t in turns)), frozenset(models))
    return None


def _names_model(speaker: str) -> bool:
    words = words_of(speaker)
    return bool(MODELS & words) or any(word.startswith(JUDGE_NAMES[JUDGE_NAMES.index("gpt") :]) for word in words)


def _alternate(chats: Sequence[Sequence[Mapping[str, Any]]], key: str) -> bool:
    """Whether a field has few values, which alternate from turn to turn."""
    if len({turn[key] for chat in chats for turn in chat}) > MOST_SPEAKERS:
        return False
    pairs = [one[key] != other[key] for chat in chats for one, other in pairwise(chat)]
    return bool(pairs) and sum(pairs) >= ALTERNATE * len(pairs)


def with_spoken(record: Mapping[str, Any], spoken: Spoken) -> Mapping[str, Any]:
    """Return a record with the last turn of a model in its chat as the output, and what was said before as the input."""
    said = spoken.turns(spoken.held_by(record))
    if not said:
        return record
    ends = [place for place, (speaker, _) in enumerate(said) if speaker in spoken.models or not spoken.models]
    end = ends[-1] if ends else len(said)
    parts = {INPUT: chat_text(said[:end]), OUTPUT: said[end][1] if ends else None}
    *above, last = spoken.path
    inside = record[above[0]] if above else record
    rest = {name: value for name, value in inside.items() if name != last}
    found = {**rest, **{f"{last}{MARK}{part}": text for part, text in parts.items()}}
    return {**record, above[0]: found} if above else found


def note_on_spoken(records: Iterable[Mapping[str, Any]], spoken: Spoken) -> str:
    """Return the sentence that says whose turn of the chats is the output."""
    where, models = f"{spoken.name!r:.60}", " or ".join(f"{one!r:.40}" for one in sorted(spoken.models)[:3])
    if not models:
        return f"The last turn in {where} is read as the output, though nothing says which speaker is a model."
    begins = f"The last turn of {models} in {where} is the output, and what was said before it the input."
    chats = [turns for one in records if (turns := spoken.turns(spoken.held_by(one)))]
    others = [turns[-1][0] for turns in chats if turns[-1][0] not in spoken.models]
    if not others:
        return begins
    left_out = f"{commas(len(others))} of {commas(len(chats))} chats"
    return f"{begins} In {left_out} a turn of {others[0]!r:.40} follows, which is left out."
