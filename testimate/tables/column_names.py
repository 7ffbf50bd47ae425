"""Names that other tools give to columns, and the words in them, by the role that they tell."""

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable

from testimate.core.spellings import bare, remembered
from testimate.tables.rules import FOUND, LATEST, TRANSLATED


def word_set(text: str) -> frozenset[str]:
    """Return the words of a text, between spaces."""
    return frozenset(text.split())


PREDICTIONS = (
    *("predictedclass", "predclass", "predictedlabel", "predlabel", "predicted", "predictions", "pred", "preds"),
    *("ypred", "yhat", "modelprediction", "modelpred", "modellabel", "predictedanswer", "top1", "guess", "said"),
    *("predictedlabels", "predictedclasses", "predictedtags", "predlabels", "predtags"),
)
SCORED = ("predict", "scoredlabels", "scoredlabel")
"""Further names of predictions, and of the truth, known since ``content.SEEN``."""

OF_PREDICTIONS = frozenset({"prediction", "sut", *PREDICTIONS, *SCORED})
"""All names of a column or a list of predictions."""

FURTHER_TRUTHS = ("reference", "referencelabel")
ANSWER_KEYS = ("key", "answerkey", "solution")
"""Names of the truth beside answers, known since ``rules.PAIRED``; a column of keys of rows does not agree with answers."""

CONFIDENCES = (
    *("conf", "confidencescore", "predconfidence", "predictedconfidence", "modelconfidence", "probability", "predprob"),
    *(
        "predictedprobability",
        "predictionprobability",
        "predproba",
        "maxprob",
        "maxprobability",
        "prob",
        "proba",
        "yprob",
    ),
    *(
        "yproba",
        "yscore",
        "softmax",
        "softmaxscore",
        "certainty",
        "score",
        "predictionscore",
        "predscore",
        "modelscore",
    ),
    *("logprob", "logprobability", "loglikelihood"),
)
FURTHER_CONFIDENCES = ("likelihood",)
"""Further names of confidences, known since ``rules.FOUND``."""

LOGARITHMS = frozenset({"logprob", "logprobs", "logprobability", "loglikelihood"})
"""Words in the name of the logarithm of a chance."""

LIKELIHOODS = LOGARITHMS | {*FURTHER_CONFIDENCES}
"""Further words in the name of how sure a model is, known since ``rules.FOUND``."""

PREDICTING = frozenset({"pred", "preds", "predicted", "prediction", "predictions", "predict", "yhat"})
"""Words in the name of a column that holds predictions."""

SURE = frozenset({"confidence", "conf", "certainty"})
"""Words in a name that say how sure the model is; of the other names, numbers below 1/C say that they mean something else."""

UNSURE = frozenset(
    {"fail", "failure", "error", "wrong", "incorrect", "miss", "interval", "lower", "upper", "low", "high", "std"}
)
"""Words beside them that say something else, such as the chance of a failure or the end of an interval."""

SPREAD = frozenset(
    {
        *("std", "stdev", "stddev", "variance", "var", "sigma", "ci", "quantile", "interval", "lower", "upper"),
        *("uncertainty", "epistemic", "aleatoric", "error", "wrong", "incorrect"),
    }
)
"""Words in the name of a number that says how far a predicted one may be off, or is."""

TRUTHS = (
    *("truelabel", "trueclass", "ytrue", "groundtruth", "gt", "gold", "goldlabel", "goldstandard", "target", "actual"),
    *("actualclass", "actuallabel", "truth", "true", "obs", "observed", "expected", "correctlabel", "correctclass"),
    *("labels", "yactual", "ytest", "trueanswer", "humanlabel", "annotation"),
)
LABELS = frozenset({"label", *(name for name in TRUTHS if "label" in name or "class" in name)})
"""Names of the truth that say that it is a class."""

TRUE = frozenset({"true", "truth", "actual", "gold", "target", "observed", "reviewed", "annotated", "corrected"})
"""Words in the name of a column that holds the truth."""

SHORT_TRUE = frozenset({"gt", "y"})
"""Further such words, known since ``content.COUNTED``."""

UNMISTAKABLE = frozenset(
    {
        *("groundtruth", "truth", "gtlabel", "goldlabel", "goldstandard", "ytrue"),
        *(LABELS - {"label", "labels", "humanlabel"}),
    }
)
"""Names that are those of nothing but the truth, by which few rows tell it."""

REFERENCES = (
    "expected",
    "expectedoutput",
    "expectedanswer",
    "referenceanswer",
    "goldanswer",
    "correctanswer",
    "groundtruth",
    "ideal",
)
"""Names of the expected text beside an output that is judged."""

ANSWERS = frozenset({"answer", "gold", "target", "expected", "label"})
"""Ends of paths beside an output that hold the number of the right answer."""

OF_BOXES = frozenset(
    {
        *("xmin", "ymin", "xmax", "ymax", "x1", "y1", "x2", "y2", "bbox", "boxid"),
        *("bboxx", "bboxy", "bboxw", "bboxh", "bboxwidth", "bboxheight", "bboxx1", "bboxy1", "bboxx2", "bboxy2"),
    }
)
"""Names of columns of a table with a row for each box that a detector found."""

OUTCOMES = ("correct", "iscorrect", "right", "isright", "hit", "passed", "success", "prediscorrect")
FURTHER_OUTCOMES = ("match", "ismatch", "matches", "matched", "exactmatch", "accuracy", "acc")
"""Further names of what is right beside a prediction, known since ``rules.PAIRED``."""

FAILURES = ("error", "iserror", "wrong", "iswrong", "failed", "failure", "incorrect", "misclassified")
CONTEXTS = frozenset(
    {
        "context",
        "contexts",
        "retrievedcontext",
        "retrievedcontexts",
        "retrievalcontext",
        "retrieveddocuments",
        "sourcedocuments",
    }
)
"""Names of the texts that a model was given with its question, in lower-case letters and digits."""

PASSAGES = frozenset({"context", "contexts", "passage", "passages", "excerpt", "excerpts"})
OF_PASSAGES = word_set(
    "text texts content source document documents chunk chunks retrieved retrieval full given background"
)
"""Words in the name of what a model was given with its question, and words beside them."""


def are_words_of_context(words: Collection[str]) -> bool:
    """Return whether the words of a name are those of what a model was given with its question.

    >>> are_words_of_context({"retrieved", "passages"}), are_words_of_context({"context", "id"})
    (True, False)
    """
    return bool(PASSAGES & {*words}) and {*words} <= PASSAGES | OF_PASSAGES


CHOICES = frozenset({"choices", "options", "answerchoices", "multiplechoicetargets"})
"""Names of the answers among which a model chose, in lower-case letters and digits."""

CHECKS = frozenset(
    {"verify", "verified", "verification", "validated", "validation", "checked", "confirmed", "approved", "verdict"}
)
"""Words in the name of a column in which a person said whether an answer is right."""

PEOPLE = frozenset(
    {"annotator", "annotators", "annotation", "annotations", "worker", "rater", "user", "coder", "labeler", "labeller"}
)
"""Words in the name of a column or a record that is about the person who gave a label."""

WHO_LABELED = frozenset(
    {"annotator", "annotators", "worker", "workers", "rater", "raters", "coder", "labeler", "labeller"}
)
OF_GROUPS = frozenset(
    {
        *(
            "patient",
            "subject",
            "user",
            "customer",
            "author",
            "speaker",
            "session",
            "conversation",
            "dialog",
            "dialogue",
        ),
        *("thread", "document", "video", "clip", "sequence", "scene", "site", "hospital", "camera", "recording"),
    }
)
"""Words in the name of a column whose equal cells belong together."""

AMOUNTS = word_set("""
    price prices cost costs amount amounts salary salaries wage wages income revenue sales profit rent fare charges demand
    consumption quantity qty weight height length width area volume distance duration temperature age population speed
    mileage mpg energy power days hours minutes
""")
OF_SCALES = word_set(
    "class category range band bin bucket group level tier type code segment quantile decile rank direction"
)
"""Words in the name of a number that measures, and those beside them in the name of a part of a scale."""

MODEL_NAMES = word_set("""
    gpt claude llama gemini mistral mixtral qwen deepseek gemma bert roberta deberta distilbert albert electra xlnet lstm gru
    rnn cnn mlp dnn ann nn svm svc knn lr logreg rf nb gbm xgb xgboost lgbm lightgbm catboost adaboost perceptron resnet vgg
    densenet efficientnet mobilenet alexnet vit convnext yolo fasttext textblob
""")
"""Names of kinds of models that are the name of nothing else that a table has."""

OF_MODELS = MODEL_NAMES | word_set("llm llms ai genai chatgpt")
"""Words in the name of what a language model or another program gave, beside which label is no word for the truth."""

OF_PARTS = frozenset({"split", "fold"})
"""Words in the name of a column that divides a table."""

TEST, TRAINING, VALIDATION = "test", "train", "validation"
SPLITS = {
    **dict.fromkeys(("test", "testing", "te", "t10k", "operational"), TEST),
    **dict.fromkeys(("train", "training", "tr"), TRAINING),
    **dict.fromkeys(("val", "valid", "validation", "dev"), VALIDATION),
}
"""What people call the splits, in lower case, and what they are called here."""

OF_NUMBERS = frozenset({"id", "ids", "no", "nr", "num", "number", "n", "count", "index", "idx", "key", "code", "by"})
"""Words for who gave a label, and words beside them in the name of a column of their numbers."""

BETTER = frozenset({"winner", "preferred", "preference", "better"})
"""Words in the name of a column that says which of two outputs is better."""

WHY = frozenset({"reasoning", "rationale", "explanation", "justification", "critique", "judgment", "judgement"})
"""Words in the name of a text that says why an answer was given, or why it is right or wrong."""

FILE_NAMES = (
    *("path", "filename", "filepath", "imagepath", "imagefile", "imagename", "imgpath", "img", "images", "audiopath"),
    *("audiofilepath", "audiofile", "wav", "fname", "picture", "photo"),
)
TEXTS = ("sentence", "review", "comment", "body", "utterance", "content", "tweet", "message", "document", "abstract")
"""Names that other tools give to columns, in lower-case letters and digits, the most telling first."""

CALLED_TEXTS = frozenset({*TEXTS, "text", "title", "description"})
"""Names of texts that a model was given, in lower-case letters and digits."""

CHANCES = frozenset({"p", "prob", "probs", "proba", "probability", "probabilities", "chance", "chances", "softmax"})
"""Words in the beginning that names of chances share."""

LIKELY = CHANCES | {"risk", "propensity", "likelihood"}
"""Words in the name of a chance that a model gave."""


IN_ENGLISH: dict[str, str] = {
    word: english
    for english, words in {
        "predicted": """vorhersage vorhergesagt vorhergesagte vorhergesagter vorhergesagtes prognose prognostiziert
            prediccion predicho predicha pronostico predit predite prevision previsions previsione predetto predetta
            predizione predicao predito predita previsao previsto prevista voorspelling voorspeld voorspelde predykcja
            przewidywana przewidywany tahmin ennuste forutsagt prediktion predikce предсказание предсказанный прогноз
            预测 預測 预测结果 预测值 予測 予測値 예측 예측값 예측결과""",
        "predictedclass": "预测类别 预测标签 預測標籤 予測ラベル 予測クラス 예측클래스 예측라벨",
        "true": """wahr wahre wahrer wahres wahrheit tatsachlich tatsachliche tatsachlicher tatsachliches verdadero verdadera
            verdad vrai vraie verite reel reelle vero vera verita real verdadeiro verdadeira verdade werkelijk werkelijke
            waarheid prawdziwa prawdziwy gercek tosi sann verklig истина истинный 真实 真實 真实值 正解 실제 정답""",
        "trueclass": "真实类别 真实标签 真實標籤 正解ラベル 正解クラス 실제클래스 정답라벨",
        "labels": "etiqueta etiquette etichetta etykieta etiket rotulo метка 标签 標籤 ラベル 라벨",
        "class": "klasse clase classe klasa sinif luokka klass класс 类别 類別 クラス 클래스",
        "confidence": """konfidenz sicherheit certitude certeza
            certezza confianza confiance fiducia confidenza confianca betrouwbaarheid pewnosc guven
            konfidens уверенность 置信度 信頼度 確信度 신뢰도""",
        "probability": """wahrscheinlichkeit probabilidad probabilite probabilita probabilidade waarschijnlijkheid
            prawdopodobienstwo olasilik sannolikhet вероятность 概率 機率 確率 확률""",
        "answer": "antwort respuesta reponse risposta resposta antwoord ответ 回答 답변",
        "question": "frage pregunta domanda pergunta vraag вопрос 问题 問題 質問 질문",
    }.items()
    for word in words.split()
}
"""Words of names in other languages, in lower case and without accents, with the English word that is known."""

ENGLISH_TOO = frozenset({"real", "vera", "true"})
"""Those of them that are English words, too, and mean another beside a word of another language alone."""


def _without_accents(name: str) -> str:
    """A name without the accents of Latin letters; those of other scripts, such as of Japanese, tell words apart."""
    if name.isascii():
        return name
    letters = unicodedata.normalize("NFD", name)
    bare = (
        letter
        for place, letter in enumerate(letters)
        if not (unicodedata.combining(letter) and place and "a" <= letters[place - 1] <= "z")
    )
    return unicodedata.normalize("NFC", "".join(bare))


FURTHER_IN_ENGLISH: dict[str, str] = {
    _without_accents(words): english
    for english, phrases in {
        "predicted": """חזוי, חזויה, תחזית, חיזוי, متوقع, المتوقع, متوقعة, المتوقعة, تنبؤ, التنبؤ, توقع, भविष्यवाणी,
            अनुमानित, पूर्वानुमान, dự đoán, du doan, prediksi, diprediksi, prezis, prezisă, predicție, prognoză,
            előrejelzés, előrejelzett, jósolt, predikció, becsült, πρόβλεψη, προβλεψη, προβλεπόμενη, προβλεπόμενο,
            předpověď, předpovězený, předpovězená, predikovaný, predikovaná, forudsagt, forudsigelse, predikert, spådd,
            prediksjon, previste, previsti, previsto, prevista, 识别结果, 識別結果, передбачення, передбачений,
            передбачена, спрогнозовано, прогноза, прогнозиран, predviđanje, predviđeno, predviđena, predpoveď, napoved,
            napovedan, ennustus, ennustatud, ennustettu, prognozė, prognoze, prognozēts, predicció, ramalan, پیش‌بینی,
            ทำนาย, ผลทำนาย, tahminlenen, öngörülen, predetti, predette, predichos, predichas, previstos, previstas, prévus,
            prévues, prédits, prédites, vorhergesagten, voorspelden""",
        "true": """faktyczny, faktyczna, faktyczne, rzeczywisty, rzeczywista, אמת, אמיתי, אמיתית, בפועל, حقيقي, الحقيقي,
            حقيقية, الحقيقية, فعلي, الفعلي, فعلية, الفعلية, वास्तविक, सत्य, thực tế, thuc te, sebenarnya, aktual, adevărat,
            adevărată, valódi, valós, tényleges, πραγματική, πραγματικό, πραγματικη, πραγματικο, 実際, 実際値, 実績,
            実績値, skutečný, skutečná, skutečnost, skutečné, sandhed, sannhet, sant, faktisk, virkelig, істина, справжній,
            справжня, фактичний, фактична, реальний, реальна, истинска, действителен, stvarna, stvarno, stvarni, skutočný,
            skutočná, skutočnosť, dejanski, dejanska, resnica, tegelik, tikroji, patiesā, sebenar, واقعی, จริง, ค่าจริง,
            gerçekleşen, todellinen, reali, reales, reais, réels, réelles, verdaderos, verdaderas, verdadeiros,
            verdadeiras, veri, 实际, 實際, 实际值, 实际结果, 真值, 实际类别, 実測値""",
        "labels": """תווית, تسمية, التسمية, लेबल, nhãn, etichetă, címke, ετικέτα, ετικετα, štítek, etikett, мітка, етикет,
            oznaka, štítok, برچسب, ป้าย""",
        "class": """מחלקה, فئة, الفئة, صنف, الصنف, वर्ग, श्रेणी, kelas, clasă, osztály, κλάση, κλαση, κατηγορία,
            κατηγορια, třída, клас, razred, trieda, klasė, klase, کلاس""",
        "confidence": """sure, zekerheid, säkerhet, sikkerhed, sikkerhet, varmuus, ביטחון, ثقة, الثقة, विश्वास, tin cậy,
            tin cay, keyakinan, încredere, bizonyosság, εμπιστοσύνη, εμπιστοσυνη, jistota, fiabilidad, fiabilité,
            affidabilità, fiabilidade, confiabilidade, zuverlässigkeit, tillförlitlighet, wiarygodność, надёжность, 可信度,
            впевненість, упевненість, увереност, pouzdanost, sigurnost, istota, zanesljivost, kindlus, pasitikėjimas,
            ticamība, confiança, اطمینان, ความเชื่อมั่น, emniyet""",
        "probability": """הסתברות, احتمال, الاحتمال, احتمالية, الاحتمالية, संभावना, प्रायिकता, xác suất, xac suat,
            probabilitas, peluang, probabilitate, valószínűség, πιθανότητα, πιθανοτητα, pravděpodobnost, sandsynlighed,
            sannsynlighet, ймовірність, імовірність, вірогідність, вероятност, vjerojatnost, verovatnoća, pravdepodobnosť,
            verjetnost, tõenäosus, todennäköisyys, tikimybė, varbūtība, probabilitat, kebarangkalian, ความน่าจะเป็น""",
        "answer": """yanıt, yanıtı, cevap, cevabı, odpowiedź, vastaus, відповідь, תשובה, إجابة, الإجابة, جواب,
            الجواب, उत्तर, trả lời, tra loi, jawaban, răspuns, válasz, απάντηση, απαντηση, odpověď, svar""",
        "expected": """erwartet, erwartete, erwarteter, erwartetes, attendu, attendue, esperado, esperada, atteso, attesa,
            verwacht, verwachte, oczekiwana, oczekiwany, ожидаемый, ожидаемая""",
        "output": """ausgabe, modellausgabe, modellantwort, systemantwort, modelantwoord, 模型回答, 模型输出, モデル出力,
            salida, sortie, uscita, saída, uitvoer, выход, вывод, 输出, 輸出, 出力, 출력""",
        "input": "eingabe, entrada, entrée, ingresso, invoer, ввод, 输入, 輸入, 入力, 입력",
        "reference": """fasit, facit, fasitsvar, facitsvar, gabarito, solucionario, lösungsschlüssel,
            klucz odpowiedzi, cevap anahtarı, ключ ответов, đáp án, kunci jawaban, megoldókulcs, barem, 模范答案, 参考译文,
            标准译文, 参考訳, 模範訳, 참고답안, 모범답안, referenz, referenzantwort, musterlösung, musterantwort,
            sollantwort, referentieantwoord, 标准答案, 正确答案, 模範解答, referencia, riferimento, эталон, 参考, 参考答案,
            参考回答, referans, referencyjna, referencyjny, wzorcowa, wzorcowy, referenční, vzorová, vzorový, mallivastaus,
            viite, referință, αναφορά, αναφοράς, ייחוס, المرجعية, مرجعية, مرجع, المرجع, tham chiếu, referensi, acuan,
            referência, эталонный, эталонная, эталонное, еталон, еталонна, referens, referanse, referentie,
            参照, 참조""",
        "rating": """bewertung, puntuación, calificación, notation, valutazione, avaliação, beoordeling, оценка, оцінка,
            ocena, vurdering, bedömning, arvio, arvosana, értékelés, osztályzat, hodnocení, hodnotenie, değerlendirme,
            puan, đánh giá, penilaian, evaluare, βαθμολογία, αξιολόγηση, דירוג, تقييم, التقييم, रेटिंग, मूल्यांकन, 评分,
            評分, 打分, 評価, 평가, 평점, puanı""",
        "preferred": """bevorzugt, bevorzugte, vorzug, präferenz, preferido, preferida, preferencia, preferito, preferita,
            preferenza, preferência, voorkeur, preferowany, preferowana, preferencja, предпочтение, перевага, tercih,
            föredragen, preferens, foretrukken, foretrukket, preferované, preferovaný, preferat, preferință, preferált,
            προτίμηση, העדפה, تفضيل, التفضيل, पसंद, 偏好, 首选, 好み, 선호""",
        "model": """modell, modells, modelo, modèle, modello, modelu, модель, 模型, モデル, 모델, modellen,
            modellens, modele, modelem, modelin, modeli, 模型输出, модели, मॉडल, النموذج, نموذج""",
        "ai": """ia, ki, künstliche intelligenz, inteligencia artificial, intelligence artificielle, 人工智能, 人工智慧,
            인공지능, ии, yapay zeka, sztuczna inteligencja, tekoäly, mesterséges intelligencia, umělá inteligence, ші,
            штучний інтелект, искусственный интеллект, trí tuệ nhân tạo, τεχνητή νοημοσύνη, בינה מלאכותית, الذكاء الاصطناعي""",
        "suggested": "sugerido, sugerida, suggéré, suggérée, suggerito, suggerita, sugerowany, sugerowana, önerilen",
        "proposed": """vorgeschlagen, vorgeschlagene, vorgeschlagener, vorgeschlagenes, propuesto, propuesta, proposé,
            proposée, proposto, proposta, voorgesteld, voorgestelde, föreslagen, foreslået, foreslått, proponowany,
            proponowana, ehdotettu, предложенный, предложенная""",
        "confirmed": """validiert, validierte, validierter, bestätigt, bestätigte, bestätigter, endgültig, endgültige,
            endgültiger, validado, validada, confirmado, confirmada, definitivo, definitiva, validé, validée, confirmé,
            confirmée, retenu, retenue, définitif, définitive, convalidato, convalidata, confermato, confermata, bevestigd,
            bevestigde, definitief, definitieve, gevalideerd, gevalideerde, bekräftad, bekræftet, bekreftet, zatwierdzony,
            zatwierdzona, potwierdzony, potwierdzona, onaylanan, vahvistettu, подтверждённый, подтверждённая""",
        "verified": """geprüft, geprüfte, geprüfter, überprüft, überprüfte, revisado, revisada, verificado, verificada,
            vérifié, vérifiée, verificato, verificata, gecontroleerd, gecontroleerde""",
        "corrected": "korrigiert, korrigierte, korrigierter, corregido, corregida, corrigé, corrigée, corrigido, corrigida",
        "editor": """redaktion, redakteur, redakteurin, redacción, redactor, redactora, rédaction, rédacteur, rédactrice,
            redazione, redattore, redattrice, redactie, redacteur, redação, redaktör, redakcja, редактор, редакция,
            데스크, 编辑""",
        "suggestion": "vorschlag, sugerencia, suggerimento, sugestão, suggestie, förslag, предложение",
        "automatic": "automatisch, automático, automática, automatique, automatico, automatica",
        "human": """mensch, menschlich, humano, humana, humain, humaine, umano, umana, mens, человек, medewerker,
            empleado, employé, mitarbeiter, mitarbeiterin, сотрудник, operatore, operador, opérateur, bedömare,
            sjuksköterska, sjuksköterskans, beoordelaar, sachbearbeiter, sachbearbeiterin, prüfer, prüferin,
            lehrer, lehrerin, lehrkraft, arzt, ärztin, gutachter, gutachterin, experte, fachkraft, manuell,
            händisch, modérateur, modératrice, annotateur, médecin, enseignant, enseignante, relecteur, manuel,
            manuelle, experto, experta, revisor, revisora, médico, médica, profesor, profesora, professor,
            professora, anotador, especialista, esperto, medico, docente, revisore, handmatig, człowiek, ekspert,
            ręcznie, эксперт, оператор, вручную, 担当者, 検査員, 人手, 専門家, 目視, 手動, 人間, 医師, 人工, 专家,
            人工标注, 医生, 專家, 전문가, 담당자, 사람, 수동, 의사, uzman, insan, öğretmen, nauczyciel, lekarz,
            opettaja, lärare, doktor, मानव, विशेषज्ञ, शिक्षक, بشري, خبير, الخبير, المراجع, مراجع, المعلم, אנושי,
            מומחה""",
        "expert": "expertin, esperta, spécialiste",
        "estimated": """estimado, estimada, estimé, estimée, stimato, stimata, geschätzt, geschätzte, geschätzter, geschat,
            geschatte, uppskattad, uppskattat, oszacowany, oszacowana, tahmini""",
        "final": """finale, endelig, endeligt, slutlig, slutligt, slutgiltig, endgültiges, 最終, 最终, 最終的, итог,
            итоговый, итоговая, końcowa, końcowy, nihai, lopullinen, konečný, konečná, végső, finală, τελική, τελικό, סופי,
            نهائي, النهائي, अंतिम, cuối cùng, akhir""",
        "sold": "vendido, vendida, vendu, vendue, venduto, venduta, verkauft, verkocht, såld, sålt, solgt",
        "laboratory": "laborbefund, laborergebnis, labor, laboratorium, laboratorio, laboratoire, laboratório",
        "biopsy": "biopsie, biopsia, histologie, histología, histologia, pathologie, patología, patologia",
        "actual": "istwert, istwerte",
        "manual": "manuale, ручная, 手动",
        "teacher": """professeur, professeure, professore, professoressa, insegnante, leraar, учитель, 教师, 老师, 先生,
            öğretmenin, учителка, вчитель, вчителька, dascăl, profesoară, tanár, δάσκαλος, מורה, giáo viên, 선생님,
            교사""",
        "doctor": "ärzte, dokter, врач",
        "difference": """abweichung, differenz, unterschied, diferencia, différence, écart, differenza, scarto, diferença,
            verschil, różnica, разница, отклонение, 差, 差值, 差异, 誤差, 차이, fark, farkı, erotus, skillnad, avvikelse,
            forskjell, avvik, forskel, afvigelse, afwijking, rozdíl, odchylka, eltérés, különbség, diferență, διαφορά,
            απόκλιση, הפרש, الفرق, अंतर, selisih, chênh lệch, độ lệch, різниця, відхилення, odchylenie, 差分, 편차""",
        "measured": """gemessen, messwert, medido, medida, mesuré, mesurée, misurato, misurata, gemeten, 实测,
            实测值, 実測, rilevato, rilevata, rilevati, rilevate""",
        "comment": """kommentar, kommentare, kommentaar, comentario, comentarios, commentaire, commentaires, commento,
            commenti, comentário, comentários, komentarz, komentarze, komentář, komentáře, komentár, комментарий, комментарии,
            коментар, коментарі, yorum, yorumu, kommentti, kommentit, komentar, bình luận, comentariu, comentarii, hozzászólás,
            σχόλιο, σχόλια, टिप्पणी, تعليق, التعليق, 评论, 評論, コメント, 댓글, 코멘트""",
        "remark": """bemerkung, bemerkungen, anmerkung, anmerkungen, notiz, notizen, hinweis, observación, observaciones,
            remarque, remarques, osservazione, osservazioni, observação, observações, opmerking, opmerkingen, uwaga, uwagi,
            примечание, примечания, замечание, замечания, заметка, заметки, примітка, зауваження, poznámka, poznámky,
            açıklama, açıklaması, huomautus, huomautukset, huomio, anmärkning, anmärkningar, anteckning, bemærkning,
            bemærkninger, merknad, merknader, megjegyzés, megjegyzések, observație, observații, παρατήρηση, παρατηρήσεις,
            catatan, ghi chú, ملاحظة, ملاحظات, הערה, הערות, 备注, 備註, 備考, 附注, 批注, 비고, 메모, 意见, 意見, 评语,
            評語, 说明, 評審意見, 评审意见""",
        "error": """fehler, erreur, erreurs, errore, errori, erro, erros, fout, fouten, błąd, błędy, ошибка, ошибки, помилка,
            chyba, chyby, hata, hatası, virhe, virheet, fejl, feil, 错误, 錯誤, エラー, 오류, lỗi, kesalahan, eroare, hiba,
            λάθος, σφάλμα, שגיאה, خطأ, الخطأ, त्रुटि""",
        "correction": """korrektur, corrección, correzione, correção, correctie, poprawka, korekta, исправление, виправлення,
            oprava, düzeltme, korjaus, rättelse, rettelse, perbaikan, koreksi, corecție, javítás, διόρθωση, תיקון, تصحيح,
            修正, 更正, 订正, 訂正, 정정, 수정""",
        "match": """übereinstimmung, stimmt überein, coincide, coincidencia, corrispondenza, corrisponde,
            concorda, correspondência, overeenkomst, komt overeen, zgodność, zgodne, совпадение, совпадает, збіг, shoda,
            eşleşme, uyuşma, täsmää, överensstämmelse, overensstemmelse, cocok, kesesuaian, khớp, egyezés, egyezik,
            concordanță, ταιριάζει, αντιστοιχία, התאמה, مطابقة, تطابق, मिलान, 一致, 匹配, 相符, 일치""",
        "hit": """treffer, acierto, aciertos, acertó, acerto, acertos, acertou, trafienie, trafienia, попадание, isabet, osuma,
            träff, 命中, 적중, 的中""",
        "reviewer": """prüfender, réviseur, vérificateur, controleur, kontroler, kontrolor, проверяющий, рецензент,
            перевірник, denetçi, kontrolcü, tarkastaja, granskare, kontrollør, pemeriksa, người duyệt, người kiểm tra,
            ellenőr, ελεγκτής, בודק, المدقق, 复核人, 審核人, 审核人, 复核, 审核, 審核, 复查, 確認者, 검토자, 검수자, 평가자""",
        "satisfaction": """zufriedenheit, kundenzufriedenheit, satisfacción, soddisfazione, satisfação, tevredenheid,
            zadowolenie, satysfakcja, удовлетворённость, удовлетворенность, задоволеність, spokojenost, memnuniyet,
            memnuniyeti, tyytyväisyys, nöjdhet, tilfredshed, tilfredshet, kepuasan, hài lòng, satisfacție, elégedettség,
            ικανοποίηση, שביעות רצון, رضا, संतुष्टि, 满意度, 滿意度, 満足度, 만족도""",
        "article": """artículo, artigo, статья, стаття, článek, článok, makale, artikkeli, bài báo, cikk, άρθρο, مقال, المقال,
            लेख, 文章, 記事, 본문, 기사, 기사본문""",
        "source": """quelltext, ausgangstext, texto fuente, texto original, texte source, testo originale, brontekst,
            исходный текст, källtext, kildetekst, zdrojový text, tekst źródłowy, kaynak metin, 原文, 原句, 源文, 원문""",
        "summary": """zusammenfassung, resumen, riassunto, resumo, samenvatting, streszczenie, резюме, реферат,
            shrnutí, souhrn, özet, yhteenveto, tiivistelmä, sammanfattning, sammendrag, ringkasan, tóm tắt, rezumat,
            összefoglaló, περίληψη, תקציר, ملخص, सारांश, 摘要, 要約, 요약""",
        "translation": """übersetzung, traducción, traduction, traduzione, tradução, vertaling, tłumaczenie, перевод,
            переклад, překlad, çeviri, çevirisi, käännös, översättning, oversættelse, oversettelse, terjemahan, bản dịch,
            traducere, fordítás, μετάφραση, תרגום, ترجمة, अनुवाद, 翻译, 翻譯, 翻訳, 번역""",
        "question": """שאלה, سؤال, السؤال, प्रश्न, câu hỏi, cau hoi, pertanyaan, întrebare, kérdés, ερώτηση,
            ερωτηση, otázka, spørgsmål, spørsmål, soru, sorusu, pytanie, kysymys, fråga, питання""",
        "correct": """poprawny, poprawna, doğru, oikea, rätt, correcto, correcta, corretto, corretta, korrekt, richtig,
            richtige, juist, correcte, 正确, corretti, corrette, correctos, correctas, corretos, corretas, richtigen,
            richtiges, juiste, poprawne, správné, правильные, верные, corect, corectă, helyes, σωστό, σωστή, σωστός,
            верный, правильный, правильная, правильно, верно, вірно, správný, správná, správne, rigtig, riktig, riktigt,
            正しい, đúng, chính xác, benar, נכון, נכונה, صحيح, الصحيح, الصحيحة, صحيحة, सही, točan, točno, pravilen,
            ispravan""",
        "algorithm": """algoritme, algoritmo, algorithme, algorithmus, algoritm, algoritmus, алгоритм, 算法,
            演算法, アルゴリズム, 알고리즘""",
        "amount": """betrag, importe, montant, importo, bedrag, kwota, сумма, belopp, tutar, tổng tiền, 金额, 金額,
            금액, राशि, المبلغ""",
        "price": "preis, precio, prix, prezzo, preço, prijs, цена, pris, giá, 价格, 價格, 価格, 가격, السعر",
        "bot": "bota, botu, botun, botin, botens, бот, бота, ボット, 机器人, 챗봇, बॉट, روبوت",
        "score": """skor, skoru, puntaje, punteggio, pontuação, poäng, pisteet, skóre, skore, pontszám, scor, βαθμός,
            ניקוד, درجة, स्कोर, điểm, điểm số, 得分, 分数, 分數, スコア, 점수""",
        "student": """alumno, alumna, alumnos, estudiante, estudiantes, élève, élèves, étudiant, étudiante, studente,
            studentessa, alunno, alunna, aluno, aluna, estudante, schüler, schülerin, leerling, uczeń, ucznia, öğrenci,
            öğrencinin, opiskelija, oppilas, žák, student, ученик, ученика, учень, учня, студент, студента, 学生, 學生,
            生徒, 학생, siswa, học sinh, sinh viên, μαθητής, μαθητή, תלמיד, סטודנט, طالب, الطالب, छात्र, diák, tanuló""",
        "task": """aufgabe, aufgabenstellung, tarea, tâche, compito, tarefa, opdracht, zadanie, задание, завдання, görev,
            tehtävä, uppgift, opgave, oppgave, úloha, feladat, sarcină, bài tập, εργασία, 题目, 題目, 設問, 과제""",
        "recognized": """erkannt, erkannte, erkannter, erkanntes, reconocido, reconocida, reconnu, reconnue, riconosciuto,
            riconosciuta, reconhecido, reconhecida, herkend, herkende, rozpoznany, rozpoznana, rozpoznano, распознанный,
            распознано, распознанная, розпізнано, rozpoznaný, rozpoznaná, felismert, tanınan, tunnistettu, igenkänd,
            igenkänt, genkendt, gjenkjent, recunoscut, αναγνωρισμένο, nhận dạng, dikenali""",
    }.items()
    for words in " ".join(phrases.casefold().split()).split(", ")
}
"""The same of further languages, some of two words, known since ``rules.FOUND``."""


@remembered
def in_english(name: str, rules: int = TRANSLATED) -> str:
    """A name with the words that are known of other languages in English; else as it is.

    ``rules`` : those by which a table is read; older ones know fewer languages.

    >>> in_english("Clase predicha"), in_english("Wahrscheinlichkeit (%)"), in_english("tree_height")
    ('class predicted', 'probability', 'tree_height')
    >>> in_english("Dự đoán_1", FOUND), in_english("Skutečná třída", FOUND), in_english("भविष्यवाणी", FOUND)
    ('predicted', 'true class', 'predicted')
    """
    plain = _without_accents(name.casefold())
    if rules >= FOUND:
        plain = _compounds_parted(_parted(plain))
        words = re.findall("[^\\W\\d_](?:[^\\W\\d_]|[\u0900-\u0963\u0e31\u0e34-\u0e3a\u0e47-\u0e4e])*", plain)
        pairs = [" ".join(words[place : place + 2]) for place in range(len(words))]
        known = [FURTHER_IN_ENGLISH.get(pair, "") for pair in pairs]
        if any(known) or any(word in FURTHER_IN_ENGLISH for word in words):
            seconds = {place + 1 for place, english in enumerate(known) if english}
            both = {**IN_ENGLISH, **FURTHER_IN_ENGLISH}
            said = [english or both.get(word, word) for english, word in zip(known, words, strict=True)]
            return " ".join(_in_english_order([word for place, word in enumerate(said) if place not in seconds]))
    words = re.findall(r"[^\W\d_]+", plain)
    if plain == name.casefold() and not any(word in IN_ENGLISH and word not in ENGLISH_TOO for word in words):
        return name
    said = [IN_ENGLISH.get(word, word) for word in words]
    return " ".join(_in_english_order(said) if rules >= FOUND else said)


THINGS = word_set("class answer output translation summary score rating")
OF_THINGS = word_set(
    "predicted true correct expected reference model human final suggested proposed confirmed corrected ai"
)
"""Words for what was answered, and those for who answered or whether it is right, which stand before them in English."""


def _in_english_order(words: list[str]) -> list[str]:
    """Two words in the order of English, as of "answer correct", which many languages say so.

    >>> _in_english_order(["answer", "correct"]), _in_english_order(["answer", "length"])
    (['correct', 'answer'], ['answer', 'length'])
    """
    turned = len(words) == 2 and words[0] in THINGS and words[1] in OF_THINGS
    return words[::-1] if turned else words


SPACELESS = re.compile("[\u3040-\u30ff\u3400-\u9fff]+|[\uac00-\ud7af]+|[\u0e00-\u0e7f]+")


def _parted(name: str) -> str:
    """A name with a space on each side of Japanese, Chinese, Korean and Thai words, and between the known ones in them.

    >>> _parted("ai判定"), _parted("担当者判定"), _parted("预测结果"), _parted("데스크요약"), _parted("人工复核结论")
    ('ai 判定', '担当者 判定', '预测结果', '데스크 요약', '人工 复核 结论')
    """
    known = FURTHER_IN_ENGLISH.keys() | IN_ENGLISH.keys()
    for word in SPACELESS.findall(name):
        name = name.replace(word, f" {' '.join(_parts_of(word, known))} ", 1)
    return " ".join(name.split())


LEAST_PART = 4
"""Letters of a word that is a part of another one, at least."""


def _compounds_parted(name: str) -> str:
    """A name in which words of two known ones, as German and others write them, perhaps with an s or n between, are two.

    >>> _compounds_parted("schulerantwort"), _compounds_parted("modellsvar"), _compounds_parted("antwortzeit")
    ('schuler antwort', 'modell svar', 'antwortzeit')
    """
    known = FURTHER_IN_ENGLISH.keys() | IN_ENGLISH.keys()
    for word in re.findall("[a-z]{8,}", name):
        if word in known:
            continue
        for end in range(len(word) - LEAST_PART, LEAST_PART - 1, -1):
            first = next((part for part in (word[:end], re.sub("(s|n|en)$", "", word[:end])) if part in known), "")
            if len(first) >= LEAST_PART and word[end:] in known:
                name = name.replace(word, f"{first} {word[end:]}", 1)
                break
    return name


def _parts_of(word: str, known: Collection[str]) -> list[str]:
    """A word in known ones and the rest between them: the longest that it begins with, else the longest that it ends in."""
    ends = range(len(word) - 1, 1, -1) if word not in known else ()
    for end in [
        end for end in ends if word[:end] in known and (len(word) - end > 1 or not "\uac00" <= word[0] <= "\ud7af")
    ]:
        return [word[:end], *_parts_of(word[end:], known)]
    for end in [end for end in reversed(ends) if len(word) - end > 1 and word[end:] in known]:
        return [*_parts_of(word[:end], known), word[end:]]
    return [word]


IN_PARENTHESES = re.compile(r"(?<=\w) *[(\[]([^()\[\]]{1,5})[)\]] *$")
"""What stands behind a name, such as a unit or a language."""


def without_units(names: Iterable[str]) -> dict[str, str]:
    """Return names that end in a unit or a language in parentheses without it, where no two are the same then.

    >>> without_units(["Source (EN)", "Confidence (%)", "Answer (DE)", "Answer (EN)", "id"])
    {'Source (EN)': 'Source', 'Confidence (%)': 'Confidence'}
    """
    known = [*names]
    short = {name: IN_PARENTHESES.sub("", name) for name in known}
    often = Counter(map(str.casefold, short.values()))
    return {name: plain for name, plain in short.items() if plain != name and often[plain.casefold()] == 1}


def words_of(name: str) -> set[str]:
    """The words of a name, in lower case: "failProb_2" has "fail" and "prob"."""
    return {word for word in re.split("[^a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", name).casefold()) if word}


def is_predicted(name: str) -> bool:
    """Return whether a column is named as predictions are.

    >>> is_predicted("y_pred"), is_predicted("Vorhersage"), is_predicted("species")
    (True, True, False)
    """
    called = in_english(name, LATEST)
    return bare(called) in OF_PREDICTIONS or bool(PREDICTING & words_of(called))


GLUED = tuple(word for word in sorted(PREDICTING | TRUE | CHANCES | SURE) if len(word) > 3)
"""Words that may begin or end another one in a name."""


def glued_words_of(name: str) -> set[str]:
    """The known words that begin or end a word of a name without being all of it; the cells have to fit, too.

    >>> sorted(glued_words_of("win_classprediction")), glued_words_of("prediction")
    (['prediction'], set())
    """
    words = words_of(name) - {*GLUED}
    return {one for one in GLUED for word in words if word.startswith(one) or word.endswith(one)}


def has_boxes(names: Iterable[str]) -> bool:
    """Return whether these are columns of a table with a row for each box, which has four edges or a list of them.

    >>> has_boxes(["file", "class", "Xmin", "Ymin", "Xmax", "Ymax"]), has_boxes(["x1", "x2", "species"])
    (True, False)
    """
    found = {bare(name) for name in names} & OF_BOXES
    return len(found) > 3 or "bbox" in found
