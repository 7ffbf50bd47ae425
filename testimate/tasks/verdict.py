"""The task without classes: a person reads what a system gave out and says how good it is, or which of two is better."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from testimate.core.checks import is_whole
from testimate.core.class_index import ClassIndex
from testimate.core.errors import BadInput
from testimate.core.spellings import remembered
from testimate.core.stored_record import From0, ShortText, WrongRecord, WrongValue, read_record
from testimate.core.task import Measure, ShareRight, Task, TaskKind, check_shape, whole_array
from testimate.core.visible_text import check_line
from testimate.core.words import commas

# Places on a scale, so that all that handles classes handles grades: decision 120.
SCALES: Mapping[str, tuple[str, ...]] = {
    "right-partly-wrong": ("right", "partly", "wrong"),
    "right-wrong": ("right", "wrong"),
    "1-5": ("1", "2", "3", "4", "5"),
    "sides": ("left", "no difference", "right"),
}
"""The grades of each scale in the order in which they stand: words from the best to the worst, numbers with the best last.

The last one asks which of two outputs, shown side by side in a random order, is better."""

USUAL_SCALE = "right-partly-wrong"
PASS_OR_FAIL = "right-wrong"
TWO_SYSTEMS = "sides"
OF_WORDS = (USUAL_SCALE, PASS_OR_FAIL)
"""The scales of right and wrong."""

SCALE_OF_NUMBERS = re.compile(r"([0-9]{1,2})-([0-9]{1,2})(?:/([0-9]))?")
"""Any other scale, by its ends: 0-10; for means of raters with the parts of a step, 1-5/3. The best comes last."""

MOST_GRADES = 41
"""Grades of a scale: from 0 to 10 in quarters."""

USUAL_ENDS, PARTS = (1, 3, 4, 5, 7, 10), (1, 2, 3, 4)
"""Last grades of scales that people use, and into how many parts the means of their raters divide a step."""

WORDS: Mapping[str, tuple[str, ...]] = {
    "right": (
        *("right", "correct", "true", "yes", "y", "pass", "passed", "accept", "accepted", "good", "ok", "c", "success"),
        *("succeeded", "1", "1.0"),
    ),
    "partly": ("partly", "partial", "partially", "partially_correct", "partly_right", "partly_correct", "p", "mixed"),
    "wrong": (
        *(
            "wrong",
            "incorrect",
            "false",
            "no",
            "n",
            "fail",
            "failed",
            "reject",
            "rejected",
            "bad",
            "i",
            "error",
            "noanswer",
        ),
        *("no_answer", "0", "0.0"),
    ),
}
"""Words of other tools for the usual grades: C, P, I and N are those of inspect_ai."""

_GRADE_OF = {word: grade for grade, words in WORDS.items() for word in words}

RIGHT_OR_WRONG = frozenset(_GRADE_OF)
"""Every English word for a grade of the usual scale, folded."""

IN_OTHER_LANGUAGES: Mapping[str, str] = {
    "right": """richtig, korrekt, zutreffend, trifft zu, bestanden, fehlerfrei, correcto, correcta, acertado, acertada,
        acierto, aprobado, aprobada, exact, exacte, conforme, validé, réussi, correct, corretto, corretta, esatto,
        esatta, superato, correto, correta, certo, acerto, acertou, aprovado, aprovada, juist, goed gekeurd,
        goedgekeurd, geslaagd, klopt, poprawne, poprawny, poprawna, poprawnie, zgodne, zgodny, zaliczone, trafione,
        doğru, başarılı, geçti, isabetli, oikein, hyväksytty, rätt, riktig, riktigt, godkänd, godkänt, rigtig, godkendt,
        bestået, godkjent, bestått, správně, správné, správný, správne, splněno, správná, верно, верный, правильно,
        правильный, правильная, корректно, совпадает, совпало, правильна, вірно, вярно, правилно, točno, ispravno,
        тачно, helyes, megfelelt, helyesen, corect, corectă, admis, σωστό, σωστή, σωστός, σωστο, נכון, נכונה, תקין,
        صحيح, صحيحة, صواب, सही, ठीक, đúng, chính xác, đạt, benar, sesuai, tepat, ถูก, ถูกต้อง, 正确, 正確, 对, 對, 合格,
        通过, 通過, 无误, 無誤, 相符, 匹配, 一致, 正解, 正しい, 適切, 맞음, 정답, 적합, 합격, 통과, 정확, 일치, 적절""",
    "partly": """teilweise, teils, teilweise richtig, parcial, parcialmente, parcialmente correcto,
        parcialmente correto, partiel, partiellement, partiellement correct, parziale, parzialmente, gedeeltelijk,
        deels, częściowo, kısmen, osittain, delvis, delvist, částečně, čiastočne, частично, частково, djelomično,
        részben, parțial, μερικώς, εν μέρει, חלקי, جزئي, आंशिक, một phần, sebagian, 部分正确, 部分正確, 一部正解,
        部分的, 부분 정답, 부분적""",
    "wrong": """falsch, fehlerhaft, unzutreffend, inkorrekt, nicht korrekt, nicht richtig, trifft nicht zu,
        nicht bestanden, incorrecto, incorrecta, erróneo, errónea, equivocado, equivocada, fallo, desacierto, reprobado,
        no correcto, faux, fausse, inexact, incorrecte, erroné, erronée, non conforme, échoué, pas correct, sbagliato,
        sbagliata, errato, errata, scorretto, non corretto, non superato, incorreto, incorreta, errado, errada, erro,
        errou, reprovado, onjuist, fout, foutief, afgekeurd, klopt niet, niepoprawne, niepoprawny, niepoprawna,
        niepoprawnie, błędne, błędny, błędna, błąd, błędnie, niezgodne, niezgodny, nietrafione, yanlış, hatalı,
        başarısız, kaldı, isabetsiz, väärin, virheellinen, hylätty, fel, felaktig, felaktigt, underkänd, underkänt,
        forkert, ikke godkendt, ikke bestået, feil, ikke godkjent, ikke bestått, galt, špatně, nesprávně, nesprávné,
        nesprávny, nesprávne, nesprávný, nesprávná, chybně, chybné, неверно, неверный, неправильно, неправильный,
        неправильная, ошибка, ошибочно, некорректно, не совпадает, не совпало, невірно, неправильна, помилка, грешно,
        netočno, neispravno, нетачно, helytelen, hibás, nem felelt meg, helytelenül, incorect, incorectă, greșit,
        greșită, respins, λάθος, λανθασμένο, λανθασμένη, שגוי, שגויה, לא נכון, خطأ, خاطئ, خاطئة, غير صحيح, गलत, sai,
        không đúng, không chính xác, không đạt, salah, tidak sesuai, tidak tepat, ผิด, ไม่ถูกต้อง, 错误, 錯誤, 错, 錯,
        不正确, 不正確, 误判, 誤判, 有误, 有誤, 漏检, 不合格, 不通过, 不通過, 未通过, 未通過, 不符, 不匹配, 不一致,
        不正解, 誤り, 間違い, 不適切, 틀림, 오답, 부적합, 불합격, 오류, 오판, 부정확, 불일치, 부적절""",
}
"""Words for these grades in other languages, between commas."""

PLAIN_IN_OTHER_LANGUAGES: Mapping[str, str] = {
    "right": """ja, sí, si, oui, sì, sim, tak, evet, kyllä, ano, áno, да, так, igen, da, ναι, כן, نعم, हाँ, हां, có, co,
        ya, iya, ใช่, 是, はい, 예, 네, wahr, verdadero, vrai, juste, vero, verdadeiro, waar, prawda, tosi, sant, sann,
        pravda, истина, правда, igaz, adevărat, αληθές, אמת, 真, gut, bueno, bien, bon, bonne, buono, bom, goed, dobry,
        dobrze, iyi, hyvä, bra, god, dobrý, dobře, хорошо, jó, bun, bine, καλό, טוב, جيد, अच्छा, tốt, baik, 好, 良い,
        良, 좋음, ok, angenommen, akzeptiert, aceptado, accepté, accettato, aceito, geaccepteerd, zaakceptowane, kabul,
        принято, 采纳, 採用""",
    "wrong": """nein, non, não, nao, nee, nie, hayır, ei, nej, nei, ne, nem, нет, ні, не, nu, όχι, לא, لا, नहीं, không,
        khong, tidak, ไม่, 否, いいえ, 아니오, 아니요, unwahr, falso, falsa, onwaar, fałsz, epätosi, falskt, falsk,
        usant, nepravda, ложь, hamis, fals, ψευδές, 假, 伪, schlecht, malo, mal, mauvais, mauvaise, cattivo, ruim, mau,
        slecht, zły, źle, kötü, huono, dålig, dårlig, špatný, плохо, rossz, rău, κακό, רע, سيئ, बुरा, xấu, buruk, 坏,
        差, 悪い, 나쁨, abgelehnt, rechazado, refusé, rejeté, rifiutato, rejeitado, geweigerd, odrzucone, ret,
        reddedildi, отклонено, 拒绝, 拒絶, 不采纳, 却下""",
}
"""Words for yes and no, true and false, good and bad, and for what was accepted or not: classes are called so, too."""


WITHOUT_MARKS = str.maketrans("ıłøđ", "ilod")


def _plain(word: str) -> str:
    """A grade as it is compared, without the marks on its letters, which people leave out."""
    letters = unicodedata.normalize("NFKD", folded_grade(word).translate(WITHOUT_MARKS))
    return "".join(one for one in letters if not unicodedata.combining(one))


@remembered
def grade_in_words(word: str, *, alone: bool = False) -> str:
    """Return the grade of the usual scale that a word says in any of many languages; "" where it says none.

    ``alone`` : whether the word has to be one by which nothing else is called, as classes are by yes and no.

    >>> [grade_in_words(word) for word in ("Pass", "Richtig", "неверно", "误判", "Sí", "left")]
    ['right', 'right', 'wrong', 'wrong', 'right', '']
    >>> [grade_in_words(word, alone=True) for word in ("Pass", "Sí", "yes", "partially correct")]
    ['right', '', '', 'partly']
    """
    said = folded_grade(word)
    if alone:
        return _SAID_ALONE.get(said, "") or _SAID_ALONE.get(_plain(word), "")
    return _GRADE_OF.get(said, "") or _SAID_ANYHOW.get(_plain(word), "")


def grade_in_english(word: str) -> str:
    """Return a grade as it is compared, in English where it is a word of another language.

    >>> grade_in_english("Falsch"), grade_in_english("Pass"), grade_in_english("3"), grade_in_english("tie")
    ('wrong', 'pass', '3', 'tie')
    """
    said = folded_grade(word)
    return said if said in RIGHT_OR_WRONG else grade_in_words(word) or said


ALONE: Mapping[str, tuple[str, ...]] = {
    "right": ("right", "correct", "pass", "passed"),
    "partly": WORDS["partly"][1:6],
    "wrong": ("wrong", "incorrect", "fail", "failed"),
}
"""English words that say whether something is right, and are no other yes or no."""


A_BETTER, TIE, B_BETTER = 0, 1, 2
"""What a preference says about two systems."""

_SYSTEMS = ("model", "output", "response", "answer", "assistant", "system", "completion", "candidate", "winner")
_TIES = (
    *(
        "tie",
        "c",
        "draw",
        "equal",
        "same",
        "both",
        "neither",
        "a=b",
        "b=a",
        "0",
        "0.0",
        "1.5",
        "no_difference",
        "no_preference",
    ),
    *("bothbad", "both_bad", "both_are_bad", "bothgood", "both_good", "tie_bothbad", "tie_both_bad"),
)
_PREFERENCE_OF: Mapping[str, int] = {
    **dict.fromkeys(("a", "1", "1.0", "first", "a>b", "a>>b", "b<a", "b<<a", "chosen"), A_BETTER),
    **dict.fromkeys(("b", "2", "2.0", "second", "b>a", "b>>a", "a<b", "a<<b", "rejected"), B_BETTER),
    **{f"{system}_{name}": side for system in _SYSTEMS for side, names in ((0, "a1"), (2, "b2")) for name in names},
    **dict.fromkeys(_TIES, TIE),
}

PREFERENCES = frozenset(_PREFERENCE_OF)
"""Every word for which of two systems is better, folded."""

_TIES_ELSEWHERE = (
    *(
        "unentschieden",
        "gleichstand",
        "gleich",
        "gleich_gut",
        "beide_gleich",
        "empate",
        "igual",
        "iguales",
        "iguais",
        "égalité",
    ),
    *(
        "égal",
        "égaux",
        "parità",
        "pari",
        "uguali",
        "gelijk",
        "gelijkspel",
        "geen_voorkeur",
        "remis",
        "tak_samo",
        "jednakowo",
    ),
    *(
        "ничья",
        "одинаково",
        "равны",
        "нічия",
        "berabere",
        "eşit",
        "tasapeli",
        "tasan",
        "yhtä_hyvä",
        "lika",
        "oavgjort",
        "lige",
    ),
    *(
        "uafgjort",
        "likt",
        "uavgjort",
        "stejné",
        "remíza",
        "shodně",
        "döntetlen",
        "egyforma",
        "egal",
        "egalitate",
        "ισοπαλία",
    ),
    *(
        "ίδια",
        "תיקו",
        "تعادل",
        "متساو",
        "बराबर",
        "hòa",
        "bằng_nhau",
        "seri",
        "sama",
        "平局",
        "平手",
        "一样",
        "相同",
        "相当",
        "引き分け",
    ),
    *("同等", "同じ", "동점", "무승부", "동일", "비슷"),
)

_OF_SIDES: Mapping[str, int] = {
    **dict.fromkeys(_TIES_ELSEWHERE, TIE),
    "left": A_BETTER,
    "right": B_BETTER,
    **{f"{system}_{name}": side for system in _SYSTEMS for side, name in ((A_BETTER, "left"), (B_BETTER, "right"))},
}

WITH_SIDES = PREFERENCES | {*_OF_SIDES}
"""These words with those of ties in other languages, and of the sides on which two systems stood, of which one says that a
single system is right."""


@remembered
def folded_grade(word: str) -> str:
    """Return a grade as it is compared: in lower case, without brackets, with underscores for spaces.

    >>> folded_grade("[[A]]"), folded_grade("tie (bothbad)"), folded_grade("A > B")
    ('a', 'tie_bothbad', 'a>b')
    """
    plain = re.sub(r"[\s()\[\]{}\"'-]+", "_", word.strip().casefold()) if not _is_number(word) else word.strip()
    return re.sub(r"_*([<>=]+)_*", r"\1", plain).strip("_.")


def _is_number(word: str) -> bool:
    return re.fullmatch(r"\s*[+-]?[0-9]*\.?[0-9]+\s*", word) is not None


def _grades_of(*languages: Mapping[str, str]) -> dict[str, str]:
    """The grade that each word says, as it is compared; what says two of them says none."""
    said = {(_plain(word), grade) for one in languages for grade, words in one.items() for word in words.split(",")}
    often = Counter(word for word, _ in said)
    return {word: grade for word, grade in said if often[word] == 1}


_SAID_ALONE = {**_grades_of(IN_OTHER_LANGUAGES), **{word: grade for grade, words in ALONE.items() for word in words}}
_SAID_ANYHOW = {**_grades_of(PLAIN_IN_OTHER_LANGUAGES, IN_OTHER_LANGUAGES), **_GRADE_OF}


def preferred(word: str) -> int | None:
    """Return which of two systems a cell says is better; None where it says none.

    A judge's weighted preference lies between 1, the first, and 2, the second.

    >>> [preferred(word) for word in ("model_a", "both bad", "B>A", "1.97", "maybe")]
    [0, 1, 2, 2, None]
    """
    said = {**_PREFERENCE_OF, **_OF_SIDES}.get(folded_grade(word))
    if said is not None or not _is_number(word):
        return said
    share = float(word)
    return None if not 1 <= share <= 2 else A_BETTER if share < 1.5 else B_BETTER


def grades_of(scale: str) -> tuple[str, ...]:
    """Return the grades of a scale in the order in which they stand; BadInput where there is no such scale.

    >>> grades_of("1-3"), grades_of("0-1/2")
    (('1', '2', '3'), ('0', '0.5', '1'))
    """
    if scale in SCALES:
        return SCALES[scale]
    match = SCALE_OF_NUMBERS.fullmatch(scale)
    low, high, parts = (int(match[1]), int(match[2]), int(match[3] or 1)) if match else (0, 0, 0)
    count = (high - low) * parts + 1
    if not match or parts < 1 or not 2 <= count <= MOST_GRADES:
        raise BadInput(
            f"The grades are {scale!r:.40}. Expected one of {', '.join(SCALES)}, or numbers such as 0-10. Choose one of these."
        )
    return tuple(f"{low + place / parts:.2f}".rstrip("0").rstrip(".") for place in range(count))


def scale_of(numbers: Sequence[float]) -> str | None:
    """Return the scale on which distinct numbers lie: of whole grades, or of means of raters; None where they are on none.

    >>> scale_of([1, 2, 3]), scale_of([0, 7]), scale_of([2, 3.67, 5]), scale_of([0.123, 0.9])
    ('1-3', '0-7', '1-5/3', None)
    """
    least, most = min(numbers), max(numbers)
    low = 0 if least < 1 else 1
    high = next((end for end in USUAL_ENDS if most <= end), None)
    if least < 0 or high is None:
        return None
    for parts in PARTS:
        on_it = all(abs(number * parts - round(number * parts)) < 0.03 * parts for number in numbers)
        if on_it and (high - low) * parts < MOST_GRADES and high > low:
            return f"{low}-{high}" if parts == 1 else f"{low}-{high}/{parts}"
    return None


@dataclass(frozen=True, eq=False)
class JudgeGrades:
    """The grades of a judge as a table has them, read by the scale of the people.

    Attributes
    ----------
    scores : (N,) 0 the worst grade to 1 the best; nan for a blank and for a grade off the scale.
    remarks : a sentence for each thing that is unusual.
    """

    scores: NDArray[np.float64]
    remarks: tuple[str, ...]


MOST_OFF = 0.05
"""The share of a judge's grades that may lie off a scale that they are read by."""


def read_judge(name: str, values: NDArray[np.float64], scale: str) -> JudgeGrades | None:
    """Return the grades of a judge for all outputs, by the first scale on which its grades lie; None where they lie on none.

    That is the scale of the people, where it has numbers; shares from 0 to 1; a usual scale of numbers; or percent.
    ``values`` : (N,) numbers of the column ``name``, nan for a blank and for words such as "N/A".

    >>> found = read_judge("judge", np.array([1, 3, 5, np.nan, 9] + [4] * 20), "1-5")
    >>> found.scores[:5].tolist()
    [0.0, 0.5, 1.0, nan, nan]
    >>> read_judge("judge", np.array([1.0, 5.0, 3.0]), "right-partly-wrong").remarks
    ("The grades of 'judge' go from 1 to 5. They are read as 0 to 1.",)
    """
    graded = np.isfinite(values)
    if not graded.any():
        return None
    given, remarks = values[graded], []
    ends = _ends_of_judge(given, scale)
    if ends is None:
        return None
    low, high = ends
    on_scale = graded & (values >= low - 1e-9) & (values <= high + 1e-9)
    if ends != (people := _ends(scale)):
        remarks.append(
            f"The grades of {name!r:.60} go from {low:g} to {high:g}. They are read as {people[0]:g} to {people[1]:g}."
        )
    if off := int((graded & ~on_scale).sum()):
        example = values[graded & ~on_scale][0]
        remarks.append(
            f"{commas(off)} of the grades of {name!r:.60} {'lies' if off == 1 else 'lie'} off the scale, such as {example:g}. "
            f"{'It counts' if off == 1 else 'They count'} as blank."
        )
    if blank := int((~graded).sum()):
        remarks.append(f"{name!r:.60} graded {commas(len(values) - blank)} of {commas(len(values))} outputs.")
    if np.ptp(values[on_scale]) == 0:
        remarks.append(f"{name!r:.60} gives every output the same grade, so it saves no labels.")
    scores = np.where(on_scale, np.clip((values - low) / (high - low), 0, 1), np.nan)
    return JudgeGrades(scores, tuple(remarks))


def _ends_of_judge(given: NDArray[np.float64], scale: str) -> tuple[float, float] | None:
    """Return the worst and the best grade that a judge can have given."""
    low, high = _ends(scale)
    ways = [(low, high), (0.0, 1.0)]
    if given.min() >= 0 and given.max() <= 1 and (given.min() < low or (given % 1).any()):
        ways.reverse()  # shares, which on a scale from 0 to 10 would be its lowest grades
    distinct = np.unique(given)
    if distinct.size <= MOST_GRADES and (own := scale_of(distinct.tolist())) is not None:
        ways.append(_ends(own))
    for least, most in (*ways, (0.0, 100.0)):
        if ((given < least) | (given > most)).mean() <= MOST_OFF:
            return least, most
    return None


def _ends(scale: str) -> tuple[float, float]:
    """Return the worst and the best grade of a scale as numbers; 0 and 1 of right and wrong."""
    if scale in (*OF_WORDS, TWO_SYSTEMS):
        return 0.0, 1.0
    grades = grades_of(scale)
    return float(grades[0]), float(grades[-1])


FAULT_FROM = 0.5
"""The loss from which on an output counts as not right: partly, or a grade of 3 of 5."""

_SCORE = ShareRight("Score", "the score", "true score", "right, one that is partly right counting half")
_RIGHT = ShareRight("Right", "the share right", "true share right", "right")
_GRADES = ShareRight(
    "Score", "the score", "true score", "as good as the best grade, each grade less counting a quarter less"
)
_NUMBERS = ShareRight("Score", "the score", "true score", "as good as the best grade, each grade less counting less")
_PREFERENCE = ShareRight(
    "Preference for A", "the preference for A", "true preference for A", "better answered by A, ties halved"
)


@dataclass(frozen=True)
class Judgment(Task):
    """A grade per output. The loss is how far it lies from the best grade, as a share of the scale: 0, 1/2, 1; or quarters.

    Predictions are the place of the best grade of each input, (n,): what everybody hopes for, the same for all inputs but where
    two systems' outputs stand side by side; there it is the side on which system A stands. Answers are places of grades, (n,).

    >>> Judgment().losses([0, 0, 0], [0, 1, 2])
    array([0. , 0.5, 1. ])
    >>> Judgment("1-5").losses([4, 4], [4, 1])
    array([0.  , 0.75])
    >>> Judgment("sides").losses([0, 2], [0, 0])  # the left one is better: once A's, once B's
    array([0., 1.])
    """

    scale: str = USUAL_SCALE
    # The grades in the order in which they stand, by the scale alone.
    classes: tuple[str, ...] = field(init=False, repr=False, compare=False)
    kind: ClassVar[TaskKind] = "verdict"
    title: ClassVar[str] = "An output to judge"
    meaning: ClassVar[str] = "a text, a picture or a sound that people judge"
    one_choice: ClassVar[bool] = True
    graded: ClassVar[bool] = True
    classes_title: ClassVar[str] = "Grades"
    severity_basis: ClassVar[str] = "the judge's score"
    score_trust: ClassVar[float] = 2 / 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "classes", grades_of(self.scale))

    @property
    def grades(self) -> str:
        """The name of the scale."""
        return self.scale

    @property
    def compares(self) -> bool:
        """Whether two systems' outputs are compared."""
        return self.scale == TWO_SYSTEMS

    @property
    def best(self) -> int:
        """The place of the best grade; BadInput where two systems are compared, of which either may be better."""
        if self.compares:
            raise BadInput("Of two systems neither is the best in advance. Ask for the side on which A stands.")
        return 0 if self.scale in OF_WORDS else len(self.classes) - 1

    @property
    def fault_grades(self) -> tuple[int, ...]:
        """The places of the grades that are faults; BadInput where two systems are compared.

        >>> Judgment().fault_grades, Judgment("1-5").fault_grades
        ((1, 2), (0, 1, 2))
        """
        places = np.arange(len(self.classes))
        return tuple(np.flatnonzero(self.failed(self.losses(np.full(len(places), self.best), places))).tolist())

    @property
    def measure(self) -> Measure:
        """The mean score, or the share of inputs on which A is preferred."""
        named = {USUAL_SCALE: _SCORE, PASS_OR_FAIL: _RIGHT, "1-5": _GRADES, TWO_SYSTEMS: _PREFERENCE}
        return named.get(self.scale, _NUMBERS)

    @property
    def fault_words(self) -> str:
        """What a fault is, after a count: "3 not right"."""
        if self.compares:
            return "not better by A"
        return f"graded {self.classes[self.fault_grades[-1]]} or less" if self.best else "not right"

    def losses(self, predictions: ArrayLike, answers: ArrayLike) -> NDArray[np.float64]:
        """The distance from the best grade over the length of the scale, 0..1; shape (n,)."""
        answered = whole_array("answers", answers)
        best = whole_array("predictions", predictions)
        check_shape("answers", answered, (len(answered),))
        check_shape("predictions", best, answered.shape)
        losses: NDArray[np.float64] = np.abs(answered - best) / (len(self.classes) - 1)
        return losses

    def failed(self, losses: ArrayLike) -> NDArray[np.bool_]:
        """A loss of ``FAULT_FROM`` or more is a failure; shape (n,)."""
        return np.asarray(losses, dtype=np.float64) >= FAULT_FROM

    def check_answer(self, answer: Any) -> int:
        """The place of the grade; BadInput where it is none of the scale."""
        if not is_whole(answer, 0, len(self.classes) - 1):
            raise BadInput(
                f"The grade {answer!r:.60} is not on the scale {', '.join(self.classes)}. Expected its place, 0 to "
                f"{len(self.classes) - 1}. Choose one of those shown."
            )
        return int(answer)

    def place_of(self, word: str) -> int:
        """The place of the grade that a cell names, upper or lower case alike; BadInput where it is none of the scale.

        >>> Judgment().place_of("Partly"), Judgment().place_of("C"), Judgment("1-5").place_of("4.0")
        (1, 0, 3)
        >>> Judgment("1-5/3").place_of("3.667")
        8
        """
        grade = ClassIndex(self.classes).as_typed(word.strip().casefold())
        if grade is None and self.scale in OF_WORDS:
            said = grade_in_words(word)
            grade = self.classes.index(said) if said in self.classes else None
        elif grade is None and not self.compares and _is_number(word):
            grade = self._nearest(float(word))
        if grade is None:
            raise BadInput(
                f"The grade {word!r:.60} is not on the scale. Expected one of {', '.join(self.classes)}. Correct it, or choose "
                "another scale."
            )
        return grade

    def _nearest(self, number: float) -> int | None:
        """The place of the grade that a mean was rounded from; None where none is that near."""
        places = np.abs(np.array([float(grade) for grade in self.classes]) - number)
        nearest = int(places.argmin())
        return nearest if places[nearest] < 0.03 else None

    def answer_text(self, answer: Any, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """The name of the grade."""
        return "" if answer is None else self.classes[answer]

    def prediction_text(self, prediction: ArrayLike, *, in_full: bool = False) -> str:  # noqa: ARG002 - names are always in full
        """Which side A stood on; of one system nothing, since its output is what is judged.

        >>> Judgment("sides").prediction_text(2), Judgment().prediction_text(0)
        ('A on the right', '')
        """
        return f"A on the {self.classes[int(np.ravel(prediction)[0])]}" if self.compares else ""

    def truth_text(self, truth: ArrayLike) -> str:
        """The name of the grade."""
        return self.classes[int(np.ravel(truth)[0])]

    def typed_answer(self, cell: str, row: int) -> int:  # noqa: ARG002 - the cell itself says which
        """As ``place_of`` reads it."""
        return self.place_of(cell)

    def written_answer(self, text: str, line: int) -> int:  # noqa: ARG002 - the text itself says which
        """As ``place_of`` reads it."""
        return self.place_of(text)

    @property
    def usual_question(self) -> str:
        """By the scale."""
        if self.compares:
            return "Which output is better?"
        return "How good is this output?" if self.best else "Is this output right?"

    @property
    def judged(self) -> str:
        """What is right or wrong is the output; of two systems the input's."""
        return "inputs" if self.compares else "outputs"

    @property
    def outcome_words(self) -> tuple[str, str]:
        """By the scale.

        >>> Judgment().outcome_words
        ('the output was right', 'the output was not right')
        """
        if self.scale in OF_WORDS:
            return "the output was right", "the output was not right"
        return "the output counts as right", "the output counts as not right"

    @property
    def accepts(self) -> tuple[int, int] | None:
        """Right and wrong, where these are grades."""
        return (self.best, len(self.classes) - 1) if self.scale in OF_WORDS else None

    @property
    def swipes(self) -> tuple[int, int] | None:
        """Wrong to the left and right to the right; of two systems the sides."""
        if self.compares:
            return 0, len(self.classes) - 1
        return (len(self.classes) - 1, self.best) if self.scale in OF_WORDS else None

    def severe_words(self, begin: str) -> str:
        """By the judge's score."""
        return f"scored {begin} or more by the judge"


MOST_CRITERIA = 6
LONGEST_NAME = 40


@dataclass(frozen=True)
class Criterion:
    """One of several things that people judge of each output.

    Attributes
    ----------
    name : for people, and of its column of votes.
    scale : of its grades; see ``grades_of``.
    judge : the column with the grades of its own judge; "" without one.
    rubric : what its grades mean; "" if nobody wrote it.
    after : how many draws came before it was added; their answers say nothing about it.
    """

    name: ShortText
    scale: ShortText = PASS_OR_FAIL
    judge: ShortText = ""
    rubric: ShortText = ""
    after: From0 = 0

    @property
    def task(self) -> Judgment:
        """What is asked of each output."""
        return Judgment(self.scale)

    @property
    def losses(self) -> NDArray[np.float64]:
        """The loss of each grade, in the order in which they stand.

        >>> Criterion("faithful", "1-5").losses
        array([1.  , 0.75, 0.5 , 0.25, 0.  ])
        """
        places = np.arange(len(self.task.classes))
        return self.task.losses(np.full(len(places), self.task.best), places)


def criterion_of(typed: str) -> Criterion:
    """Return the criterion that a person typed: its name, its scale after a colon, its judge after an equals sign.

    What its grades mean may follow after a bar.

    >>> criterion_of("faithful:1-5=gpt_faithful")
    Criterion(name='faithful', scale='1-5', judge='gpt_faithful', rubric='', after=0)
    >>> criterion_of("polite | right: it greets").rubric
    'right: it greets'
    """
    asked, _, rubric = typed.partition("|")
    said, _, judge = asked.partition("=")
    name, colon, scale = (part.strip() for part in said.partition(":"))
    if not name or (colon and not scale):
        raise BadInput(
            f"The criterion is {typed!r:.60}. Expected NAME[:SCALE][=JUDGE], such as faithful:1-5=gpt_faithful. Write it so."
        )
    return Criterion(name, scale or PASS_OR_FAIL, judge.strip(), rubric.strip())


def criteria_of_record(records: Sequence[Mapping[str, Any]]) -> tuple[Criterion, ...]:
    """Return the criteria that a session was stored with; BadInput where these are none."""
    try:
        return check_criteria([read_record(Criterion, one) for one in records])
    except (WrongRecord, WrongValue) as error:
        raise BadInput(
            f"The stored criteria cannot be read ({error}). Expected those of a session. Restore them."
        ) from None


def check_criteria(criteria: Sequence[Criterion], taken: Collection[str] = ()) -> tuple[Criterion, ...]:
    """Return the criteria; BadInput for a name given twice, too long or ``taken``, no such scale, and too many of them."""
    if len(criteria) > MOST_CRITERIA:
        raise BadInput(
            f"There are {len(criteria)} criteria. Expected at most {MOST_CRITERIA}, so that a tester sees them all. Leave some "
            "out, or make another plan for them."
        )
    names = [one.name.casefold() for one in criteria]
    for one, name in zip(criteria, names, strict=True):
        if names.count(name) > 1:
            raise BadInput(f"Two criteria are called {one.name!r:.60}. Expected names that differ. Rename one of them.")
        check_line(one.name, "name of a criterion", LONGEST_NAME)
        if name != name.strip() or any(mark in name for mark in ":=;,|"):
            raise BadInput(
                f"A criterion is called {one.name!r:.60}. Expected a name without the marks : = ; , and |. Rename it."
            )
        if name in taken:
            raise BadInput(
                f"A criterion is called {one.name!r:.60}, as a column that files of votes have. Expected another name. "
                "Rename it."
            )
        if one.task.compares:
            raise BadInput(
                f"The criterion {one.name!r:.60} has the scale {one.scale}. Expected grades of one output, such as 1-5. "
                "Choose one of these."
            )
    return tuple(criteria)
