"""The verbs of the terminal as Python calls: they take subjects and tables, and return records that print as sentences.

What a verb needs is imported when it is called: who selects does not wait for clusters or studies.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from testimate.advice.advice import plan_request
from testimate.core.errors import BadInput
from testimate.core.inputs import Inputs
from testimate.core.progress import Progress, silent
from testimate.core.selector import Request
from testimate.planning.criteria import criteria_votes
from testimate.planning.criteria import with_criteria as with_several
from testimate.planning.parts import each_part_plan, each_part_request, grouping
from testimate.planning.plan import Plan, check_fingerprint, files_of_plan, inputs_of_plan, make_plan, read_plan
from testimate.planning.votes import Votes, VotesSource
from testimate.subjects.table_features import FILE_FEATURES
from testimate.tables.data_frame import Columns, parquet_of
from testimate.tasks.verdict import Criterion, criterion_of

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from testimate.comparison.predictions import Predictions
    from testimate.comparison.ranking import CesModel, Ranking
    from testimate.core.subject import Subject
    from testimate.estimators.difference import Interval
    from testimate.planning.assisted import Model
    from testimate.planning.estimate import PlanEstimate
    from testimate.planning.priority import Priority
    from testimate.planning.reuse import Paths, Source
    from testimate.planning.top_up import Purpose
    from testimate.reports.clusters import Clustered
    from testimate.studies.plots import StudyRows


def known_inputs_of(subject: Subject | Inputs) -> Inputs:
    """The inputs; BadInput for a subject whose model has not run on them yet."""
    if isinstance(subject, Inputs):
        return subject
    if subject.inputs is None:
        raise BadInput(
            f"{subject.name} is a model with its data, which says nothing about its inputs until it has run. Expected a "
            f"table of predictions. Take what a project computes once: Project(folder).inputs({subject.key!r})"
        )
    return subject.inputs


def with_labels(subject: Subject | Inputs, labels: VotesSource) -> Inputs:
    """The inputs with labels that exist already, for ``select``: what it draws of them is not asked again.

    Parameters
    ----------
    subject : the result of ``open_subject``, or inputs; a partly labeled table brings its own labels.
    labels : as ``estimate`` takes votes; all of them labels.

    Raises
    ------
    BadInput : verdicts in place of labels, a row that is no input, or a label that contradicts the table's.

    >>> from testimate import open_subject
    >>> subject = open_subject({"prediction": ["a", "b"] * 50})
    >>> select(with_labels(subject, dict.fromkeys(range(100), "a")), budget=20, seed=1)
    Plan: 0 inputs to label of 100, by srs with seed 1. 20 more are known.
    """
    inputs = known_inputs_of(subject)
    if isinstance(labels, str | Path):
        from testimate.planning.plan_votes import read_known  # PyArrow, which labels in memory do without

        return read_known(Path(labels), inputs, None)
    from testimate.planning.known_labels import with_known

    return with_known(inputs, Votes.of(labels))


def with_criteria(subject: Subject | Inputs, criteria: Sequence[str | Criterion]) -> Inputs:
    """The inputs of which people judge each output by several criteria, for ``select``; its draws serve all of them.

    Parameters
    ----------
    subject : the result of ``open_subject``, whose outputs are judged.
    criteria : up to six, such as "faithful:1-5=gpt_faithful": name, scale of grades (right-wrong by default) and the column of
        its judge, where there is one.

    Raises
    ------
    BadInput : nothing is judged, a name occurs twice, or there is no such scale or column.

    >>> from testimate import open_subject
    >>> subject = open_subject({"output": ["a", "b"] * 50}, task="verdict")
    >>> select(with_criteria(subject, ["faithful:1-5", "polite"]), budget=20, seed=1).criteria[1].scale
    'right-wrong'
    """
    return with_several(
        known_inputs_of(subject), [criterion_of(one) if isinstance(one, str) else one for one in criteria]
    )


def with_history(subject: Subject | Inputs, results: str | Path | Columns) -> Inputs:
    """The inputs with the results of earlier models, for ``select``, ``study`` and ``estimate``: they say which may fail.

    Parameters
    ----------
    subject : the result of ``open_subject``, or inputs.
    results : a column for each earlier model, right or wrong, 1 or 0, or a grade: a file, a DataFrame or name -> N values. Rows
        are in the order of the inputs, or named as these are by a column ``key``.

    Raises
    ------
    BadInput : another number of rows and no key, no results, or results alike for all inputs.

    >>> from testimate import open_subject
    >>> subject = open_subject({"prediction": ["a", "b"] * 50})
    >>> select(with_history(subject, {"v1": [0, 1] * 50, "v2": [1, 1, 0, 1] * 25}), budget=20, seed=1)
    Plan: 20 inputs to label of 100, by rrs with seed 1.
    """
    from testimate.planning.history import with_history as with_results
    from testimate.subjects.other_predictions import names_as_keys, read_history

    inputs = known_inputs_of(subject)
    keys = {**names_as_keys(inputs), **{name.casefold(): list(cells) for name, cells in inputs.keys.items()}}
    source, name = (Path(results), Path(results).name) if isinstance(results, str | Path) else (parquet_of(results), "")
    return with_results(inputs, read_history(source, inputs, name=name or "results.parquet", keys=keys))


def select(
    subject: Subject | Inputs,
    *,
    budget: int | None = None,
    seed: int,
    technique: str | None = None,
    auxiliary: str | Sequence[str] | None = None,
    features: str | None = None,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    each: Mapping[str, Sequence[Any]] | None = None,
    half_width: float | None = None,
) -> Plan:
    """The inputs to label, in labeling order, each with its probability and the reason why it was picked.

    Parameters
    ----------
    subject : the result of ``open_subject``, or inputs, such as those of ``with_labels``.
    budget : number of labels, 1..N. seed : the same seed draws the same inputs.
    technique : a name in SELECTORS; rrs by default, srs if no score is known. "confidence-ladder" finds the confidence above
        which at least the share ``options={"right": 0.95}`` is right: it labels the surest first, and ``testimate continue``
        draws what follows; ``estimate(...).right_above()`` says what is known.
    auxiliary : the auxiliary variable, among ``subject.inputs.scores``; NAME:lower if smaller means likelier to fail;
        several are averaged. By default combined if there are other models, else confidence.
    features : layers for techniques that need features, such as "LHL"; by default those of the table, else LHL.
    variant, options : of the technique; those it does not have are refused.
    each : a column, name -> N values, such as ``{"light": frame["light"]}``: each value gets labels of its own, so that the
        accuracy of each has the same width. The plan then draws a random sample from every part, so it takes no
        technique.
    half_width : wanted half-width of the interval in place of a budget, which follows from it: 0.05 for +- 5 points. It is a
        forecast, from the confidence and from how far that of other networks was right.

    Returns
    -------
    Plan; ``rows`` are the inputs to label, ``to_frame()`` a DataFrame, ``write(path)`` makes a PLAN.json for the
    terminal.

    Raises
    ------
    BadInput : an unknown name, a budget outside 1..N, or something the technique needs and the subject does not have.

    >>> import numpy as np
    >>> from testimate import open_subject
    >>> subject = open_subject({"prediction": ["a", "b"] * 50, "confidence": np.linspace(0.5, 1, 100)})
    >>> select(subject, budget=20, seed=1)
    Plan: 20 inputs to label of 100, by rrs with seed 1.
    """
    from testimate.planning.expected_range import budget_for

    inputs = known_inputs_of(subject)
    if each is not None:
        return make_plan(inputs, _each_part(inputs, each, half_width, budget, seed, technique))
    if (budget is None) == (half_width is None):
        raise BadInput(
            f"The budget is {budget} and the half-width {half_width}. Expected one of them. Give budget=200, for example."
        )
    request = plan_request(
        inputs,
        budget=budget or 1,
        seed=seed,
        technique=technique,
        auxiliary=[auxiliary] if isinstance(auxiliary, str) else list(auxiliary or ()),
        features=features,
        variant=variant,
        options=options or {},
    )
    if half_width is not None:
        request = replace(request, budget=budget_for(inputs, half_width, request))
    return make_plan(inputs, request)


def _each_part(
    inputs: Inputs,
    each: Mapping[str, Sequence[Any]],
    half_width: float | None,
    budget: int | None,
    seed: int,
    technique: str | None,
) -> Request:
    if len(each) != 1 or technique is not None:
        raise BadInput(
            f"each has {len(each)} columns and the technique is {technique}. Expected one column and no technique. Give each="
            '{"light": values}, for example.'
        )
    ((name, values),) = each.items()
    plan = each_part_plan(inputs, grouping(name, values, len(inputs)), half_width=half_width, budget=budget)
    return each_part_request(plan, seed)


def estimate(
    plan: Plan | str | Path,
    votes: VotesSource,
    *,
    subject: Subject | Inputs | None = None,
    level: float = 0.95,
    interval: Interval = "ordinary",
    assisted: Model | None = None,
    auxiliary: str | None = None,
    tolerance: str | float | None = None,
    recheck: str | Path | None = None,
    read: Mapping[str, str] | None = None,
) -> PlanEstimate:
    """The accuracy of the whole set, with the interval that counts now.

    Parameters
    ----------
    plan : the result of ``select``, or a PLAN.json.
    votes : a ``Votes``, or anything that ``Votes.of`` takes: a VOTES.csv, a DataFrame with ``row`` and one of
        ``label``, ``failed`` and ``loss``, or row -> true label. None is "cannot tell". Of a plan with criteria a column for
        each, or row -> name -> grade; ``criteria`` of the result say what each comes to.
    subject : what the plan was made for; needed to compare labels with predictions, unless the plan names its table's file.
    level : confidence level of the interval, above 0 and below 1; ``plan.level_together()`` for all criteria at once.
    interval : "ordinary", or "conservative": too wide rather than too narrow.
    assisted : "learned", "difference" or "regression": helped by a model of the losses. auxiliary : the score that it uses.
    tolerance : of a regression, the error beyond which an input counts as a failure, 0.5 or "10%", instead of the
        plan's.
    recheck : a CHECK.csv with second looks at some of the answers, which correct testers' errors.
    read : how a VOTES.csv is read: {"key": "id"}, by the column of the votes and of the plan's table that says which input a
        vote is on, "place" for rows counted from 0; {"empty": "none"} where an empty label of a set names no class, "skipped"
        where it is open.

    Returns
    -------
    PlanEstimate; ``accuracy``, ``low`` and ``high`` are shares 0..1, ``estimate`` holds both intervals, ``plot()`` the chart.

    Raises
    ------
    BadInput : an invalid vote, or labels without the subject they belong to.
    UnknownRow : a vote on a row that was not drawn.
    SubjectChanged : the subject is not the one the plan was made for.
    NotEnoughLabels : there is no honest number yet.

    >>> from testimate import open_subject, select
    >>> subject = open_subject({"prediction": ["a", "b"] * 50}, classes=["c"])
    >>> plan = select(subject, budget=40, seed=1)
    >>> estimate(plan, dict.fromkeys(plan.rows, "a"), subject=subject).estimate.labeled
    40
    """
    path = Path("plan.json") if isinstance(plan, Plan) else Path(plan)
    made = plan if isinstance(plan, Plan) else read_plan(path)
    inputs = inputs_of_plan(path, made) if subject is None else with_several(known_inputs_of(subject), made.criteria)
    if isinstance(votes, str | Path):
        from testimate.planning.plan_votes import read_plan_votes  # PyArrow, which votes in memory do without

        answers, table = dict(read or {}), files_of_plan(path, made)[0]
        key = answers.pop("key", "")
        said = read_plan_votes(Path(votes), made, table, inputs, key=key, read=tuple(answers.items()))
    else:
        said = criteria_votes(votes, made.criteria) if made.criteria else Votes.of(votes)
    if inputs is not None:
        check_fingerprint(made, inputs)
    elif said.kind == "label":
        raise BadInput(
            "The votes are labels, and the predictions they are compared with are not available. Expected the test set that "
            "the plan was made for. Pass it: estimate(plan, votes, subject=subject)"
        )
    from testimate.planning.estimate import estimate_plan

    return estimate_plan(
        made,
        said,
        inputs,
        level=level,
        interval=interval,
        assisted=assisted,
        auxiliary=auxiliary,
        tolerance=None if tolerance is None else str(tolerance),
        recheck=None if recheck is None else Path(recheck),
        tell=warnings.warn,
    )


def top_up(
    new: Source,
    *,
    plan: Paths,
    votes: Paths,
    count: int,
    purpose: Purpose,
    seed: int,
    old: str | Path | None = None,
    against: Source | None = None,
    others: Sequence[Source] = (),
    classes: Sequence[str] = (),
    read: Mapping[str, str] | None = None,
    used_for_training: bool = False,
) -> Plan:
    """A plan of ``count`` more inputs to label, where they say most about a new version; ``testimate reuse --top-up``.

    Label its first ``count`` draws; the later ones are known from the votes so far. Then give both plans and both files
    of votes to ``reuse``: a plan for the accuracy serves every version, one for a difference only these two.

    Parameters
    ----------
    count : at least 2. purpose : "accuracy" draws where the new version may fail, "difference" where the two
        predictions differ.
    seed : determines every draw.
    new, plan, votes, old, against, others, classes, read, used_for_training : as for ``reuse``, with its errors.

    Raises BadInput, too, where fewer inputs are left than ``count``, and for a difference without a version to compare with.
    """
    from testimate.planning.reuse import Voting, read_versions
    from testimate.planning.top_up import top_up as plan_of_top_up

    found = read_versions(
        new,
        plan,
        votes,
        old=old,
        against=against,
        others=others,
        classes=classes,
        voting=Voting.of(read),
        used_for_training=used_for_training,
    )
    return plan_of_top_up(
        found.new,
        found.plans,
        count,
        purpose=purpose,
        seed=seed,
        against=found.against or found.old,
        old=found.old,
        others=found.others,
    )


def rank(
    predictions: Predictions | Columns | str | Path,
    technique: str = "laf",
    *,
    budget: int | None = None,
    seed: int | None = None,
    truth: str | ArrayLike | None = None,
    columns: Mapping[str, Sequence[str]] | None = None,
    read: Mapping[str, str] | None = None,
    ces_model: CesModel = "closest to the majority",
    features: Sequence[ArrayLike] | None = None,
    progress: Progress = silent,
) -> Ranking:
    """The models from best to worst, without labels or by a few; see ``testimate.comparison.ranking.rank``.

    Parameters
    ----------
    predictions : a DataFrame, arrays or a file with one column of predicted classes for each model; or ``Predictions``.
    technique : "laf", "majority" and "dawid-skene" need no labels; "sds", "ces" and "random" rank by ``budget`` labels
        chosen with ``seed``.
    truth : the column with the true classes; for ``Predictions`` the true class places, (N,).
    columns : {"model": names} or {"ignore": names} where the cells do not show which columns are models.
    read : {"spelling": "same"} where models spell the same classes otherwise.

    Raises
    ------
    BadInput : fewer than two models, a missing prediction, an unknown technique or column.

    >>> rank({"first": [0, 1, 1, 0], "second": [0, 1, 1, 1], "third": [1, 1, 1, 0]}, "majority").models
    ('first', 'second', 'third')
    """
    from testimate.comparison import ranking
    from testimate.comparison.predictions import Predictions
    from testimate.comparison.predictions_table import read_predictions

    if isinstance(predictions, Predictions):
        said, true = predictions, truth
    else:
        column = truth if isinstance(truth, str) else None
        source = Path(predictions) if isinstance(predictions, str | Path) else parquet_of(predictions)
        table = read_predictions(
            source,
            name="table.parquet",
            truth=column,
            models=(columns or {}).get("model", ()),
            ignored=(columns or {}).get("ignore", ()),
            read=tuple((read or {}).items()),
            by_content=True,
        )
        said, true = table.predictions, table.truth if column is not None else truth
    return ranking.rank(
        said,
        technique,
        budget=budget,
        seed=seed,
        truth=true,
        ces_model=ces_model,
        features=features,
        progress=progress,
    )


def clusters(
    subject: Subject | Inputs,
    *,
    seed: int,
    features: str | None = None,
    min_cluster_size: int | None = None,
    min_samples: int | None = None,
    reduction: str | None = None,
    components: int | None = None,
    sampled: bool = False,
    map: str = "neighbors",
    progress: Progress = silent,
) -> Clustered:
    """HDBSCAN's clusters of the features with MMD-critic's prototypes and criticisms, as the Clusters page shows them.

    Parameters
    ----------
    subject : the result of ``open_subject``, or inputs.
    seed : of FastICA, of the map, and of the sample of very large sets; same seed, same result.
    features : layers among ``subject.inputs.features``, several joined by "+"; by default the last hidden layer, or
        else what is available. A table gets its features by ``open_subject(table, features=array)``.
    min_cluster_size, min_samples, reduction, components : see ``find_clusters``; by default as the page suggests them.
    sampled : whether, of more than 20,000 inputs, as many are clustered and the others join them: quick for data of any kind.
    map : "neighbors" (t-SNE), "fastica" or "pca".

    Returns
    -------
    Clustered; ``to_frame()`` is a DataFrame with a row per input, ``to_json()`` the summary, ``write(path)`` a CSV and
    ``to_html()`` a report.

    Raises
    ------
    BadInput : no features, no such layer, or a setting outside its range.

    >>> import numpy as np
    >>> from testimate import open_subject
    >>> blobs = 9 * np.eye(3)[np.arange(180) % 3] + np.random.default_rng(0).normal(size=(180, 3))
    >>> subject = open_subject({"prediction": ["a", "b", "c"] * 60}, features=blobs)
    >>> found = clusters(subject, seed=1, map="pca")
    >>> found.to_json()["clusters"][0]["size"] > 40
    True
    """
    from testimate.project.cluster_settings import suited_settings
    from testimate.reports.clusters import cluster_inputs
    from testimate.structure.maps import method_named

    inputs = known_inputs_of(subject)
    show: Any = None if isinstance(subject, Inputs) else subject.dataset.show
    return cluster_inputs(
        inputs,
        suited_settings(
            inputs,
            features=features,
            min_cluster_size=min_cluster_size,
            min_samples=min_samples,
            reduction=reduction,
            components=components,
            exactness="sampled" if sampled else None,
            seed=seed,
        ),
        map_method=method_named(map),
        show=show,
        progress=progress,
    )


def prioritize(
    subject: Subject | Inputs,
    technique: str,
    *,
    seed: int,
    budget: int | None = None,
    features: str | None = None,
    variant: str | None = None,
    options: Mapping[str, Any] | None = None,
    progress: Progress = silent,
) -> Priority:
    """All inputs in the order in which to label them, by a technique such as severity-first, deepgini or dsa.

    Parameters
    ----------
    budget : number of labels that the order is made for, used by severity-first; all inputs by default.
    features : layers, by default those of the table, else "LHL".
    variant, options : of the technique.

    Raises
    ------
    BadInput : the technique is unknown, needs what the subject does not have, or may draw an input twice.

    >>> from testimate import open_subject
    >>> table = open_subject({"prediction": ["a", "b", "a"], "confidence": [0.9, 0.5, 0.7]})
    >>> prioritize(table, "severity-first", seed=1).rows.size
    3
    """
    from testimate.planning.priority import priority

    inputs = known_inputs_of(subject)
    request = Request(
        technique=technique,
        budget=len(inputs) if budget is None else budget,
        seed=seed,
        features=features or (FILE_FEATURES if FILE_FEATURES in inputs.features else "LHL"),
        variant=variant,
        options=options or {},
    )
    return priority(inputs, request, progress=progress)


def study(
    subject: Subject | Inputs,
    *,
    techniques: Sequence[str],
    budgets: Sequence[int],
    repetitions: int,
    seed: int,
    auxiliaries: Sequence[str] = ("confidence",),
    variant: str | None = None,
    features: str = "LHL",
    level: float = 0.95,
    progress: Progress = silent,
    workers: int | None = None,
    options: Mapping[str, Any] | None = None,
    resume_file: Path | None = None,
) -> StudyRows:
    """Runs every technique at every budget many times where the truth is known, and compares the estimates with it.

    ``subject`` is the result of ``open_subject``, with the true answers, or inputs; the other parameters and the errors
    are those of ``testimate.studies.study.StudyChoice`` and its ``run``.
    """
    from testimate.studies.plots import StudyRows
    from testimate.studies.study import StudyChoice

    choice = StudyChoice(techniques, budgets, repetitions, seed, auxiliaries, variant, features, level, options or {})
    inputs = known_inputs_of(subject)
    return StudyRows(choice.run(inputs, progress=progress, workers=workers, resume_file=resume_file))
