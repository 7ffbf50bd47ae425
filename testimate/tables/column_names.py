"""Names that other tools give to columns, and the words in them, by the role that they tell."""

import re

PREDICTIONS = (
    *("predictedclass", "predclass", "predictedlabel", "predlabel", "predicted", "predictions", "pred", "preds"),
    *("ypred", "yhat", "modelprediction", "modelpred", "modellabel", "predictedanswer", "top1", "guess", "said"),
    *("predictedlabels", "predictedclasses", "predictedtags", "predlabels", "predtags"),
)
SCORED = ("predict", "scoredlabels", "scoredlabel")
"""Further names of predictions, and of the truth, known since ``content.SEEN``."""

FURTHER_TRUTHS = ("reference", "referencelabel")

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
PREDICTING = frozenset({"pred", "preds", "predicted", "prediction", "predictions", "predict", "yhat"})
"""Words in the name of a column that holds predictions."""

SURE = frozenset({"confidence", "conf", "certainty"})
"""Words in a name that say how sure the model is; of the other names, numbers below 1/C say that they mean something else."""

UNSURE = frozenset(
    {"fail", "failure", "error", "wrong", "incorrect", "miss", "interval", "lower", "upper", "low", "high", "std"}
)
"""Words beside them that say something else, such as the chance of a failure or the end of an interval."""

TRUTHS = (
    *("truelabel", "trueclass", "ytrue", "groundtruth", "gt", "gold", "goldlabel", "goldstandard", "target", "actual"),
    *("actualclass", "actuallabel", "truth", "true", "obs", "observed", "expected", "correctlabel", "correctclass"),
    *("labels", "yactual", "ytest", "trueanswer", "humanlabel", "annotation"),
)
TRUE = frozenset({"true", "truth", "actual", "gold", "target", "observed", "reviewed", "annotated", "corrected"})
"""Words in the name of a column that holds the truth."""

SHORT_TRUE = frozenset({"gt", "y"})
"""Further such words, known since ``content.COUNTED``."""

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

OUTCOMES = ("correct", "iscorrect", "right", "isright", "hit", "passed", "success", "prediscorrect")
FAILURES = ("error", "iserror", "wrong", "iswrong", "failed", "failure", "incorrect", "misclassified")
BETTER = frozenset({"winner", "preferred", "preference", "better"})
"""Words in the name of a column that says which of two outputs is better."""

FILE_NAMES = (
    *("path", "filename", "filepath", "imagepath", "imagefile", "imagename", "imgpath", "img", "images", "audiopath"),
    *("audiofilepath", "audiofile", "wav", "fname", "picture", "photo"),
)
TEXTS = ("sentence", "review", "comment", "body", "utterance", "content", "tweet", "message", "document", "abstract")
"""Names that other tools give to columns, in lower-case letters and digits, the most telling first."""

CHANCES = frozenset({"p", "prob", "probs", "proba", "probability", "probabilities", "chance", "chances", "softmax"})
"""Words in the beginning that names of chances share."""


def words_of(name: str) -> set[str]:
    """The words of a name, in lower case: "failProb_2" has "fail" and "prob"."""
    return {word for word in re.split("[^a-z]+", re.sub("(?<=[a-z])(?=[A-Z])", " ", name).casefold()) if word}
