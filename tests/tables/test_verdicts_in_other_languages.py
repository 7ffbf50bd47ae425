"""What says right or wrong, or remarks on it, is shown to no tester in any language; cells tell chances and pairs."""

import json
import sqlite3
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from testimate.core.errors import ReadingUnclear
from testimate.subjects.prediction_table import read_table
from testimate.tables.column_names import CONFIDENCES, OF_PREDICTIONS, OUTCOMES, TRUTHS, in_english
from testimate.tables.evaluation_names import NAMES
from testimate.tables.rules import LATEST
from testimate.tasks.verdict import grade_in_words
from tests.each import each

SIZE = 90
RNG = np.random.default_rng(90)
TRUTH = RNG.integers(0, 3, SIZE)
SAID = np.where(RNG.random(SIZE) < 0.8, TRUTH, RNG.integers(0, 3, SIZE))
RIGHT = TRUTH == SAID
WORDS = np.array(["ash", "elm", "yew"])
SURE = RNG.uniform(0.4, 1, SIZE).round(3)
FILES = [f"leaf_{place * 7:04d}.jpg" for place in range(SIZE)]


def table(**columns):
    return pd.DataFrame(columns).to_csv(index=False).encode()


def roles(subject):
    return {column: one.role for column, one in subject.reading.roles.items()}


@each(
    "name,right,wrong,note,remark",
    [
        ("复核结论", "正确", "错误", "备注", "叶子被遮挡"),
        ("確認結果", "正解", "不正解", "備考", "葉が隠れている"),
        ("검토 결과", "적합", "부적합", "비고", "잎이 가려짐"),
        ("Ergebnis der Kontrolle", "richtig", "falsch", "Bemerkung", "verdecktes Blatt"),
        ("resultado da conferência", "correto", "incorreto", "observações", "folha coberta"),
        ("контроль", "верно", "неверно", "примечание", "лист закрыт"),
        ("sonuc", "dogru", "yanlis", "açıklama", "yaprak örtülü"),
        ("kontrola", "poprawne", "błędne", "uwagi", "liść zasłonięty"),
        ("नतीजा", "सही", "गलत", "टिप्पणी", "पत्ता ढका"),
        ("النتيجة", "صحيح", "خطأ", "ملاحظات", "ورقة مغطاة"),
    ],
)
def test_verdicts_and_remarks_are_shown_to_no_tester_in_whatever_language(name, right, wrong, note, remark):
    columns = {name: np.where(RIGHT, right, wrong), note: np.where(RIGHT, "", remark)}
    subject = read_table(table(photo=FILES, prediction=WORDS[SAID], confidence=SURE, **columns), name="a.csv")
    assert {name, note} <= {*subject.reading.left_out}
    assert f"'{name}' may be what is right or wrong" in str(subject.reading)
    shown = json.dumps(subject.dataset.show(int(np.flatnonzero(~RIGHT)[0])).cells, ensure_ascii=False)
    assert wrong not in shown
    assert remark not in shown
    known = read_table(table(photo=FILES, prediction=WORDS[SAID], confidence=SURE, outcome=columns[name]), name="a.csv")
    assert 1 - known.inputs.losses.mean() == RIGHT.mean()


def test_a_word_for_a_grade_is_known_with_and_without_its_marks_and_says_one_grade_alone():
    assert grade_in_words("Błędne") == grade_in_words("bledne") == "wrong"
    assert grade_in_words("não") == grade_in_words("nao") == "wrong"
    assert grade_in_words("left") == ""
    assert grade_in_words("goedgekeurd", alone=True) == "right"
    assert grade_in_words("ja", alone=True) == ""


def test_what_a_person_remarked_in_each_row_is_shown_to_no_tester():
    notes = np.where(RIGHT, "nothing to add", "should be another tree")
    subject = read_table(table(photo=FILES, prediction=WORDS[SAID], reviewer_note=notes), name="a.csv")
    assert "reviewer_note" in subject.reading.left_out


def test_what_tells_a_truth_that_is_hidden_is_hidden_with_it():
    goals = {"home": ["2-1", "1-0", "3-0", "2-0"], "draw": ["0-0", "1-1"], "away": ["0-1", "1-2", "0-3"]}
    names = np.array([*goals])
    ended = [RNG.choice(goals[names[place]]) for place in TRUTH]
    columns = {"host": RNG.choice(["Ulm", "Ems", "Aue"], SIZE), "Prediction": names[SAID], "Ended": ended}
    subject = read_table(table(**columns, came_out=names[TRUTH]), name="a.csv")
    assert {"Ended", "came_out"} <= {*subject.reading.left_out}


@each("first", [True, False])
def test_shares_of_any_name_that_are_a_half_exactly_where_one_class_is_predicted_are_its_chance(first):
    share = RNG.uniform(0, 1, SIZE).round(3)
    said = np.where((share >= 0.5) != first, "regular", "forged")
    columns = {"amount": RNG.integers(1, 900, SIZE), "prediction": said, "skor": share}
    subject = read_table(table(**columns), name="a.csv")
    assert roles(subject)["skor"] == "confidence"
    assert np.allclose(1 - subject.inputs.scores["confidence"], np.maximum(share, 1 - share))


ASKED = [f"How many boats lie in harbor {place}?" for place in range(20)]
OLD = [f"There are {place} boats in harbor {place}, it says." for place in range(20)]
NEW = [f"Harbor {place} has {place + 1} boats today." for place in range(20)]


def test_two_texts_whose_names_differ_in_what_a_column_prefers_are_compared():
    better = RNG.choice(["nieuw", "huidig", "gelijk"], 20)
    subject = read_table(
        table(vraag=ASKED, vertaling_huidig=OLD, vertaling_nieuw=NEW, voorkeur=better, collega="Jo"), name="a.csv"
    )
    assert roles(subject)["vertaling_huidig"] == "output_a"
    assert roles(subject)["vertaling_nieuw"] == "output_b"
    assert subject.reading.left_out["voorkeur"] == "it says which text is better"


def test_a_flag_that_says_that_an_output_matches_is_known_and_one_of_a_part_of_it_is_not():
    columns = {"question": ASKED, "generated_answer": NEW, "gold_answer": OLD}
    flags = np.where(np.arange(20) % 3, "True", "False")
    assert roles(read_table(table(**columns, exec_match=flags), name="a.csv"))["exec_match"] == "outcome"
    assert "language_match" not in roles(read_table(table(**columns, language_match=flags), name="a.csv"))


def test_how_satisfied_people_were_is_offered_as_grades_in_other_languages():
    grades = RNG.integers(1, 6, 20)
    subject = read_table(table(soru=ASKED, yanıt=NEW, memnuniyet=grades), name="a.csv")
    assert roles(subject)["memnuniyet"] == "score"
    assert "--column judge=memnuniyet" in str(subject.reading)


def test_names_of_korean_words_without_spaces_are_known_by_their_parts(tmp_path: Path):
    path = tmp_path / "요약.sqlite"
    with sqlite3.connect(path) as base:
        pd.DataFrame({"기사본문": ASKED, "모델요약": NEW, "데스크요약": OLD}).to_sql("t", base, index=False)
    subject = read_table(path.read_bytes(), name=path.name)
    assert roles(subject) == {"기사본문": "input", "모델요약": "output", "데스크요약": "reference"}


def test_points_of_which_there_may_be_hundreds_are_a_number_and_few_are_asked_about_or_classes():
    points = RNG.choice([0, 310, 450, 512, 640, 700, 715, 733, 790, 801, 812, 850], SIZE)
    subject = read_table(table(wallet=[f"0x{place:05x}a" for place in range(SIZE)], credit_score=points), name="a.csv")
    assert subject.task.kind == "regression"
    few = read_table(table(wallet=[f"0x{place:05x}a" for place in range(SIZE)], score=points % 5), name="a.csv")
    assert few.task.kind == "classification"


def test_english_names_are_no_words_of_other_languages_without_their_marks():
    known = {name for names in NAMES.values() for name in names} | OF_PREDICTIONS | {*TRUTHS, *CONFIDENCES, *OUTCOMES}
    known |= {"resume", "preference", "reference", "answer key", "acc_yz", "guru", "observations", "concordance"}
    assert [name for name in sorted(known) if in_english(name, LATEST) != name] == []


def test_classes_that_are_called_predicted_are_not_the_truth_of_the_chance_that_they_were_made_of():
    share = RNG.uniform(0, 1, SIZE).round(3)
    said = np.where(share >= 0.5, "positivo", "negativo")
    texts = [f"O pedido {place} chegou bem e foi entregue no prazo." for place in range(SIZE)]
    subject = read_table(table(texto=texts, sentimento_previsto=said, prob_positivo=share), name="a.csv")
    assert roles(subject)["sentimento_previsto"] == "prediction"
    assert roles(subject)["prob_positivo"] == "confidence"


def test_of_labels_of_several_models_beside_a_persons_one_is_asked_about():
    others = {
        f"{name}_label": np.where(RNG.random(SIZE) < 0.7, WORDS[TRUTH], WORDS[SAID]) for name in ("bert", "llama")
    }
    columns = {"photo": FILES, "gpt_label": WORDS[SAID], **others, "handmatig": WORDS[TRUTH]}
    with pytest.raises(
        ReadingUnclear, match="'gpt_label' and 'bert_label' and 'llama_label' may each be the prediction"
    ):
        read_table(table(**columns), name="a.csv")


@each(
    "asked,true,said,grade,grades",
    [
        ("السؤال", "الإجابة المرجعية", "إجابة النموذج", "التقييم", ("صحيحة", "خاطئة", "جزئية")),
        ("spørsmål", "fasit", "modellsvar", "vurdering", ("riktig", "galt", "delvis")),
        ("原文", "参考译文", "机器译文", "人工评分", ("1", "3", "5")),
        ("prompt", "reference", "response", "human_label", ("pass", "fail", "")),
    ],
)
def test_outputs_and_what_is_right_are_told_apart_in_other_languages(asked, true, said, grade, grades):
    columns = {asked: ASKED, true: OLD, said: NEW, grade: [grades[place % 3] for place in range(20)]}
    subject = read_table(table(**columns), name="a.csv")
    found = {column: role for column, role in roles(subject).items() if column != grade}
    assert found == {asked: "input", true: "reference", said: "output"}
    assert grade not in str(subject.dataset.show(0))


def test_a_preference_with_ties_in_another_language_is_known():
    better = ["A", "B", "unentschieden", "B"] * 5
    subject = read_table(table(frage=ASKED, antwort_modell_a=OLD, antwort_modell_b=NEW, bevorzugt=better), name="a.csv")
    assert roles(subject)["bevorzugt"] == "label"


def test_what_a_program_and_a_teacher_gave_is_told_apart_in_other_languages():
    points = RNG.integers(35, 100, SIZE)
    said = points + RNG.integers(-7, 8, SIZE)
    columns = {"kompozisyon": [f"Yaz tatilinde {place} gün köye gittik." for place in range(SIZE)], "yz_puani": said}
    subject = read_table(table(**columns, ogretmen_puani=points, fark=said - points), name="a.csv")
    assert roles(subject)["yz_puani"] == "prediction"
    assert roles(subject)["ogretmen_puani"] == "label"
    assert "fark" in subject.reading.left_out


def test_what_is_filled_exactly_where_the_truth_is_known_and_what_says_the_same_there_is_hidden():
    share = RNG.uniform(0, 1, SIZE).round(3)
    said, known = np.where(share >= 0.6, "fraud", "legit"), np.arange(SIZE) % 5 < 2
    true = np.where(RNG.random(SIZE) < share, "fraud", "legit")
    columns = {
        "amount": RNG.uniform(1, 900, SIZE).round(2),
        "merchant": RNG.choice(["Ulm", "Ems", "Aue"], SIZE),
        "model_flag": said,
        "model_score": share,
        "analyst_decision": np.where(known, true, ""),
        "analyst_basis": np.where(known, RNG.choice(["card absent", "known customer"], SIZE), ""),
        "returned": np.where(true == "fraud", "Y", "N"),
    }
    subject = read_table(table(**columns), name="a.csv")
    assert roles(subject)["analyst_decision"] == "label"
    assert {"analyst_basis", "returned"} <= {*subject.reading.left_out}
    assert np.allclose(1 - subject.inputs.scores["confidence"], np.where(said == "fraud", share, 1 - share))


def test_gaps_that_most_columns_share_are_those_of_the_inputs():
    gaps = np.arange(SIZE) % 4 == 0
    features = {name: np.where(gaps, "", RNG.choice(["u", "v", "w"], SIZE)) for name in ("soil", "slope", "layer")}
    subject = read_table(
        table(prediction=WORDS[SAID], **features, label=np.where(gaps, "", WORDS[TRUTH])), name="a.csv"
    )
    assert {roles(subject)[name] for name in features} == {"shown"}


def test_what_stands_in_wrong_rows_alone_is_hidden_whatever_it_is_called():
    lines = np.where(RIGHT, "", [f"zeile {place}" for place in range(SIZE)])
    columns = {"photo": FILES, "prediction": WORDS[SAID], "xq": lines, "reste": np.where(RIGHT, "richtig", "falsch")}
    subject = read_table(table(**columns), name="a.csv")
    assert subject.reading.left_out["xq"] == "it stands in wrong rows alone"


def test_predicted_and_true_whole_numbers_that_rise_together_are_told_by_their_names():
    days = RNG.integers(1, 10, SIZE)
    said = np.clip(days + RNG.integers(-2, 3, SIZE), 1, 9)
    columns = {"parcel": [f"TR{place * 37:07d}" for place in range(SIZE)], "kg": RNG.uniform(0.1, 20, SIZE).round(1)}
    subject = read_table(table(**columns, tahmini_gun=said, gercek_gun=days), name="a.csv")
    assert roles(subject)["tahmini_gun"] == "prediction"
    assert roles(subject)["gercek_gun"] == "label"


@each("name,scores", [("KI-Score", SURE * 100), ("top1_score", SURE)])
def test_the_score_of_what_predicts_is_its_confidence_in_percent_too(name, scores):
    said = {"KI-Score": "KI-Entscheidung", "top1_score": "top1"}[name]
    other = {"top2": WORDS[(SAID + 1) % 3], "top2_score": 1 - SURE} if said == "top1" else {}
    columns = {"photo": FILES, said: WORDS[SAID], name: scores.round(1 if said != "top1" else 3), **other}
    subject = read_table(table(**columns, Sachbearbeiter=WORDS[TRUTH]), name="a.csv")
    assert roles(subject)[name] == "confidence"


def test_what_a_student_answered_is_shown_beside_the_question_where_its_grade_is_predicted():
    points = RNG.integers(0, 11, SIZE)
    columns = {
        "pregunta": [f"Name cause {place % 6} of the revolution of that year." for place in range(SIZE)],
        "respuesta_alumno": [f"It was the crisis of bread number {place} in town." for place in range(SIZE)],
        "nota_ia": np.clip(points + RNG.integers(-1, 2, SIZE), 0, 10),
        "nota_docente": points,
        "comentario_docente": RNG.choice(["well explained", "no context", "not complete"], SIZE),
    }
    subject = read_table(table(**columns), name="a.csv")
    assert {name: roles(subject)[name] for name in ("pregunta", "respuesta_alumno")} == {
        "pregunta": "shown",
        "respuesta_alumno": "shown",
    }
    assert "comentario_docente" in subject.reading.left_out


@each(
    "asked,true,said,grade",
    [
        ("întrebare", "răspuns_corect", "răspuns_model", "evaluare"),
        ("pregunta", "respuesta_correcta", "respuesta_modelo", "evaluación"),
        ("pergunta", "resposta_esperada", "resposta_modelo", "avaliação"),
    ],
)
def test_words_that_say_what_is_right_stand_behind_answers_too(asked, true, said, grade):
    columns = {asked: ASKED, true: OLD, said: NEW, grade: ["correcto", "incorrecto", "correcto", "parcial"] * 5}
    found = roles(read_table(table(**columns), name="a.csv"))
    assert (found[asked], found[true], found[said]) == ("input", "reference", "output")


def test_thai_names_are_known_by_their_parts():
    texts = [f"ร้านอาหารสาขา {place} บริการดีมากครับ" for place in range(SIZE)]
    columns = {"ข้อความ": texts, "ผลทำนาย": WORDS[SAID], "ความเชื่อมั่น": SURE, "ป้ายจริง": WORDS[TRUTH]}
    assert [*roles(read_table(table(**columns), name="a.csv")).values()] == [
        "text",
        "prediction",
        "confidence",
        "label",
    ]


def test_numbers_of_a_program_and_true_ones_that_hardly_rise_together_are_asked_about():
    numbers = RNG.uniform(0, 1, (2, SIZE)).round(2)
    columns = {"task": [f"t{place * 31:04d}x" for place in range(SIZE)], "why": ASKED * 4 + ASKED[:10]}
    with pytest.raises(ReadingUnclear, match="'llm_score' and 'actual_accuracy' are a program's and what is true"):
        read_table(table(**columns, llm_score=numbers[0], actual_accuracy=numbers[1]), name="a.csv")


def test_what_is_filled_where_a_class_is_true_alone_is_hidden_though_nothing_else_is_shown():
    share = RNG.beta(0.8, 2, SIZE).round(3)
    said, true = (share >= 0.5).astype(int), (RNG.random(SIZE) < share).astype(int)
    kind = np.where(true == 1, RNG.choice(["cuscinetto", "tenuta"], SIZE), "")
    columns = {"P": RNG.normal(3, 0.2, SIZE).round(2), "guasto_previsto": said, "rischio": share}
    subject = read_table(table(**columns, guasto_reale=true, tipo=kind), name="a.csv")
    assert "tipo" in subject.reading.left_out


def test_of_classes_of_two_models_that_a_letter_tells_apart_is_asked_about():
    other = np.where(RNG.random(SIZE) < 0.7, WORDS[TRUTH], WORDS[SAID])
    texts = [f"Governo anuncia pacote número {place} para o setor" for place in range(SIZE)]
    columns = {"manchete": texts, "classe_modelo_a": WORDS[SAID], "classe_modelo_b": other}
    with pytest.raises(ReadingUnclear, match="'classe_modelo_a' and 'classe_modelo_b' may each be the prediction"):
        read_table(table(**columns, classe_verdadeira=WORDS[TRUTH]), name="a.csv")


def test_words_of_two_known_ones_are_read_as_two():
    points = RNG.integers(0, 6, SIZE)
    columns = {
        "Aufgabe": [f"Erkläre, warum Wasser bei Aufgabe {place % 5} verdunstet." for place in range(SIZE)],
        "Schülerantwort": [f"Weil die Teilchen {place} schneller werden." for place in range(SIZE)],
        "KI_Punkte": np.clip(points + RNG.integers(-1, 2, SIZE), 0, 5),
        "Lehrer_Punkte": points,
    }
    found = roles(read_table(table(**columns), name="a.csv"))
    assert found == dict(zip(columns, ["shown", "shown", "prediction", "label"], strict=True))


def test_what_truly_happened_is_hidden_by_its_name_in_chinese():
    share = RNG.beta(1, 3, SIZE).round(3)
    columns = {"预测结果": np.where(share < 0.3, "通过", "拒绝"), "违约概率": share}
    happened = np.where(RNG.random(SIZE) < share, "是", "否")
    subject = read_table(table(编号=FILES, **columns, 实际违约=happened), name="a.csv")
    assert "实际违约" in subject.reading.left_out


def test_what_was_recognized_and_what_is_right_are_told_by_their_names_in_hungarian():
    columns = {"hangfájl": [f"hivas_{place:03d}.wav" for place in range(20)], "felismert_szöveg": NEW}
    found = roles(read_table(table(**columns, helyes_szöveg=OLD, WER=np.arange(20) / 20), name="a.csv"))
    assert found["felismert_szöveg"] == "output"
    assert found["helyes_szöveg"] == "reference"


def test_a_state_of_which_one_value_stands_exactly_where_the_truth_is_known_is_hidden():
    looked_at = np.arange(SIZE) % 5 < 3
    columns = {
        "photo": FILES,
        "clase_predicha": WORDS[SAID],
        "clase_corregida": np.where(looked_at & ~RIGHT, WORDS[TRUTH], ""),
        "estado": np.where(~looked_at, "en cola", np.where(RIGHT, "visto", "cambiado")),
    }
    subject = read_table(table(**columns), name="a.csv")
    assert roles(subject)["clase_corregida"] == "label"
    assert "estado" in subject.reading.left_out
