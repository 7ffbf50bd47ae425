"""LaF on texts and on source code: functions of installed libraries and their descriptions, read by many small models.

The task is to say which library a function is of, from its code or from its docstring: 10 classes, thousands of inputs,
with truth, that are on every machine with this project's dependencies. Nothing of it is run; it is only parsed.
"""

import ast
import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

LIBRARIES = ("numpy", "scipy", "sklearn", "pandas", "matplotlib", "torch", "streamlit", "keras", "PIL", "h5py")
"""The classes, by the name of the library's package."""

MOST = 400
"""Functions of each library, drawn at random."""

TRAINING = 0.5
SHORTEST, LONGEST = 40, 1500
"""Letters of a text: shorter ones are left out, longer ones cut."""

SEED = 2026


@dataclass(frozen=True)
class Reader:
    """A model: what it counts, what learns from it, and how much of the training set it saw."""

    name: str
    words: str
    features: int
    learner: str
    share: float


READERS = tuple(
    Reader(f"{learner}, {words}, {features} features, {round(100 * share)} %", words, features, learner, share)
    for learner, words, features, share in (
        ("logistic", "word", 4000, 1.0),
        ("logistic", "word", 300, 1.0),
        ("logistic", "word", 40, 1.0),
        ("logistic", "char", 2000, 1.0),
        ("logistic", "word", 4000, 0.05),
        ("logistic", "word", 12, 1.0),
        ("bayes", "word", 4000, 1.0),
        ("bayes", "word", 300, 1.0),
        ("bayes", "char", 2000, 1.0),
        ("bayes", "word", 40, 1.0),
        ("bayes", "word", 4000, 0.02),
        ("centroid", "word", 4000, 1.0),
        ("centroid", "word", 100, 1.0),
        ("centroid", "char", 500, 0.1),
        ("neighbours", "word", 1000, 1.0),
        ("neighbours", "word", 100, 0.2),
        ("tree", "word", 1000, 1.0),
        ("tree", "word", 1000, 0.1),
        ("stump", "word", 1000, 1.0),
        ("logistic", "char", 60, 0.05),
    )
)
"""Twenty, as many as the paper has for Amazon, Java250 and C++1000; from good to poor, so that their accuracies differ."""


KINDS = ("code", "texts", "code of tests")
"""Functions without their docstrings; the docstrings; functions in folders of tests, predicted by models of the others."""

FUNCTIONS = 20 * MOST
"""Of a library with more, those of its first files by name are taken."""


def texts_of(library: str, kind: str) -> list[str]:
    """Functions of a library, or what their docstrings say, drawn at random."""
    found: list[str] = []
    spec = importlib.util.find_spec(library)
    assert spec is not None
    assert spec.origin is not None
    folder = Path(spec.origin).parent
    for file in sorted(folder.rglob("*.py")):
        if ("tests" in file.relative_to(folder).parts) == (kind == "code of tests") and len(found) <= FUNCTIONS:
            found += _functions(file, docstrings=kind == "texts")
    rows = np.random.default_rng(SEED).permutation(len(found))[:MOST]
    return [found[row] for row in sorted(rows)]


def _functions(file: Path, *, docstrings: bool) -> list[str]:
    try:
        tree = ast.parse(file.read_text(encoding="utf-8"))
    except (SyntaxError, UnicodeDecodeError):
        return []
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            docstring = ast.get_docstring(node)
            if not docstrings and docstring is not None:
                node.body = node.body[1:] or [ast.Pass()]
            said = docstring or "" if docstrings else ast.unparse(node)
            if len(said) >= SHORTEST:
                found.append(said[:LONGEST])
    return found


def read(kind: str) -> tuple[dict[str, NDArray[np.intp]], NDArray[np.intp]]:
    """What each model predicts for the half that none has seen, or for tests, and the truth, (n,), as places in LIBRARIES."""
    texts, labels = _mixed("code" if kind == "code of tests" else kind)
    cut = int(TRAINING * len(texts))
    others, truth = _mixed(kind) if kind == "code of tests" else (texts[cut:], labels[cut:])
    return {one.name: _predicted(one, texts[:cut], labels[:cut], others) for one in READERS}, truth


def _mixed(kind: str) -> tuple[list[str], NDArray[np.intp]]:
    words, truth = [], []
    for place, library in enumerate(LIBRARIES):
        own = texts_of(library, kind)
        words += own
        truth += [place] * len(own)
    order = np.random.default_rng(SEED).permutation(len(words))
    return [words[row] for row in order], np.array(truth, dtype=np.intp)[order]


def _predicted(reader: Reader, texts: list[str], labels: NDArray[np.intp], others: list[str]) -> NDArray[np.intp]:
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
    from sklearn.pipeline import make_pipeline
    from sklearn.tree import DecisionTreeClassifier

    learners = {
        "logistic": lambda: LogisticRegression(C=5.0, max_iter=200),
        "bayes": lambda: MultinomialNB(alpha=0.1),
        "centroid": NearestCentroid,
        "neighbours": lambda: KNeighborsClassifier(5),
        "tree": lambda: DecisionTreeClassifier(max_depth=12, random_state=SEED),
        "stump": lambda: DecisionTreeClassifier(max_depth=2, random_state=SEED),
    }
    seen = max(int(reader.share * len(texts)), 40)
    counted = CountVectorizer(
        analyzer="char_wb" if reader.words == "char" else "word",
        ngram_range=(3, 3) if reader.words == "char" else (1, 1),
        max_features=reader.features,
    )
    model = make_pipeline(counted, TfidfTransformer(sublinear_tf=True), learners[reader.learner]())
    model.fit(texts[:seen], labels[:seen])
    return np.asarray(model.predict(others), dtype=np.intp)
