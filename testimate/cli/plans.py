"""The verbs that say what to label: select, continue where its technique learns, and the order of all inputs."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from testimate.cli.options import (
    Criteria,
    Quiet,
    Seed,
    Table,
    TableFiles,
    TableReading,
    TechniqueSettings,
    Verbs,
    VoteReading,
    criteria_of,
    finds_rows,
    read_inputs,
    tell_reading,
)
from testimate.cli.output import (
    ShownProgress,
    aside,
    check_output,
    tell_files,
    tell_groups,
    tell_others,
)
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.inputs import Inputs
from testimate.core.selector import Request
from testimate.core.words import commas, counted


def tell_leaks(inputs: Inputs, techniques: Sequence[str], auxiliaries: Sequence[str]) -> None:
    """Warns on stderr of each score these techniques take that was probably made from the true labels, where they are known.

    Scores made from the outputs alone cannot be; fewer than 20 failures cannot tell.
    """
    from testimate.auxiliary import AUXILIARY
    from testimate.auxiliary.leak import leaks_truth

    if inputs.losses is None or not inputs.single_class:
        return
    for name in _taken(techniques, auxiliaries):
        if name not in inputs.scores or name in AUXILIARY:
            continue
        try:
            found = leaks_truth(inputs.scores[name], inputs.predictions, inputs.losses, name=f"The score {name}")
        except NotEnoughLabels:
            return
        if found.warning:
            typer.echo(found.warning, err=True)


def _takes_score(technique: str) -> bool:
    """Whether the technique uses the auxiliary variable that a request names."""
    from testimate.planning.build import technique_named
    from testimate.planning.needs import uses_of

    named = technique_named(technique)
    return "scores" in (*named.needs, *uses_of(named))


def _taken(techniques: Sequence[str], auxiliaries: Sequence[str]) -> list[str]:
    """The scores that these techniques take, each once."""
    from testimate.planning.build import technique_named
    from testimate.planning.needs import uses_of

    taken: list[str] = []
    for technique in map(technique_named, techniques):
        arguments = (*technique.needs, *uses_of(technique))
        if "scores" in arguments:
            taken += [auxiliary.partition(":")[0] for auxiliary in auxiliaries]
        taken += arguments
    return list(dict.fromkeys(taken))


verbs = Verbs()


@dataclass(frozen=True)
class Wanted:
    """How many labels a plan has, and what decides which inputs get them."""

    budget: Annotated[int | None, typer.Option(help="How many labels; with --half-width it follows.")] = None
    each: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Give every value of a column, or of prediction, its own labels, so that the accuracy of each has the same "
            "width.",
        ),
    ] = None
    above_confidence: Annotated[
        float | None,
        typer.Option(
            metavar="X",
            help="Find the confidence above which at least X (0.95) of the inputs are right, by --budget labels at most: the "
            "surest first, less sure ones as long as enough are right.",
        ),
    ] = None
    half_width: Annotated[
        float | None,
        typer.Option(help="How wide the interval, or each, may be: 0.05 for ± 5 points; --budget follows."),
    ] = None
    technique: Annotated[
        str | None, typer.Option(help="See: testimate techniques. rrs by default, srs where no score is known.")
    ] = None
    auxiliary: Annotated[
        list[str] | None,
        typer.Option(
            help="Column that predicts failure, by default combined where there are other models, else confidence; "
            "NAME:lower where smaller means more likely. Several are combined by their mean, each scaled to 0..1."
        ),
    ] = None

    def request(
        self, table: Path, inputs: Inputs, seed: int, layers: str, settings: TechniqueSettings
    ) -> tuple[Request, str]:
        """What the plan is made by, and what it costs in words where that follows; BadInput for options that exclude others."""
        from testimate.advice.advice import plan_request
        from testimate.planning.expected_range import budget_for, expected_of_plan
        from testimate.planning.parts import each_part_plan, each_part_request
        from testimate.planning.right_above import ladder_request, ladder_words
        from testimate.planning.table_columns import groupings_of_table

        if self.above_confidence is not None:
            if self.technique or settings.options or settings.variant or self.each or self.half_width or self.auxiliary:
                raise BadInput(
                    "--above-confidence draws among the surest inputs. Expected no --technique, --auxiliary, --each, "
                    "--half-width, --variant or --set with it. Leave these out."
                )
            request = ladder_request(inputs, self.above_confidence, budget=self.budget, seed=seed)
            return request, ladder_words(inputs, self.above_confidence)
        if self.each is not None:
            if self.technique or settings.options or settings.variant:
                raise BadInput(
                    "--each draws from every part at random. Expected no --technique, --variant or --set with it. "
                    "Leave these out."
                )
            (grouping,) = groupings_of_table(table, [self.each], len(inputs))
            parts = each_part_plan(inputs, grouping, half_width=self.half_width, budget=self.budget)
            return each_part_request(parts, seed), parts.words()
        if (self.budget is None) == (self.half_width is None):
            given = "neither a --budget nor a --half-width" if self.budget is None else "a --budget and a --half-width"
            raise BadInput(f"There is {given}. Expected one of them. Give --budget 200, for example.")
        request = plan_request(
            inputs,
            budget=1 if self.budget is None else self.budget,
            seed=seed,
            technique=self.technique,
            auxiliary=self.auxiliary or (),
            features=layers,
            variant=settings.variant,
            options=settings.chosen,
        )
        if self.half_width is not None:
            request = replace(request, budget=budget_for(inputs, self.half_width, request))
        return request, expected_of_plan(inputs, request)


@verbs.command(epilog="Example: testimate select table.csv --technique rrs --budget 200 --seed 1 --out plan.json")
def select(
    table: Table,
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="PLAN.json", help="The plan to write.")],
    wanted: Wanted,
    beside: TableFiles,
    settings: TechniqueSettings,
    reading: TableReading,
    known: Annotated[
        Path | None,
        typer.Option(
            metavar="LABELS.csv",
            help="Labels that are known, row and label: inputs with one are not asked again. Those in the table count as they "
            "are.",
        ),
    ] = None,
    criterion: Criteria = None,
    quiet: Quiet = False,
) -> None:
    """Choose which inputs to label and write them, in labeling order, to a plan."""
    from testimate.planning.build import technique_named
    from testimate.planning.criteria import check_one_answer, with_criteria
    from testimate.planning.forecast import no_estimate_follows
    from testimate.planning.known_labels import drawn_words
    from testimate.planning.needs import score_words, undirected_scores
    from testimate.planning.plan import make_plan
    from testimate.planning.plan_votes import read_known
    from testimate.structure.confidence_ladder import check_share

    check_output(out, table, known, *beside.paths)
    if wanted.above_confidence is not None:
        check_share(wanted.above_confidence)
    if wanted.technique is not None:
        technique_named(wanted.technique)  # a name that is none is refused before a table is read for minutes
    choices, criteria = reading.choices, criteria_of(criterion)
    with ShownProgress(quiet):
        inputs = read_inputs(table, beside, reading, judges=[one.judge for one in criteria if one.judge])
        if known is not None:
            check_one_answer(criteria, "--known")
            inputs = read_known(known, inputs, table, read=choices.read, tell=aside)
        inputs = with_criteria(inputs, criteria, tell=aside)
        if wanted.budget is not None and wanted.budget > len(inputs) and finds_rows(inputs):
            tell_reading(inputs)  # which rows were found explains how few they are
        request, cost = wanted.request(table, inputs, seed, beside.layers, settings)
        plan = make_plan(
            inputs,
            request,
            table=str(table),
            features_file=str(beside.features or ""),
            training=str(beside.training or ""),
            columns=choices.columns,
            further=choices.further,
            others=tuple(str(one) for one in beside.other or ()),
            least_score=reading.least_score,
            pictures=str(reading.inputs_at or ""),
        )
        plan = replace(plan, history=str(beside.history or ""))
        tell_leaks(inputs, [request.technique], [request.auxiliary])
    plan.write(out)
    tell_files(inputs)
    tell_others(inputs)
    tell_groups(inputs, request.technique)
    drawn, open_ = len(plan.draws), len(plan.draws) - len(plan.known_draws)
    more = "" if drawn == request.budget else f". The rest follows with: testimate continue {out} VOTES.csv --out {out}"
    said = f"Wrote {out}: {counted(open_, 'input')} to label, picked by {request.technique}{more}"
    then = (*drawn_words(plan), cost, plan.warning, no_estimate_follows(plan.design, plan.draws, request.budget))
    for sentence in filter(None, (said, *then)):
        typer.echo(sentence)
    tell_reading(inputs)
    score = f"score: {score_words(request.auxiliary)}" if _takes_score(request.technique) else undirected_scores(inputs)
    after = "" if more else f"Next, with the labels in VOTES.csv: testimate estimate {out} VOTES.csv"
    for sentence in filter(None, (score, after)):
        aside(sentence)


@verbs.command("continue", epilog="Example: testimate continue plan.json votes.csv --out plan.json")
def continue_(
    plan_file: Annotated[Path, typer.Argument(metavar="PLAN.json")],
    votes_file: Annotated[Path, typer.Argument(metavar="VOTES.csv")],
    out: Annotated[Path, typer.Option(metavar="PLAN.json", help="The longer plan to write.")],
    voted: VoteReading,
    criterion: Criteria = None,
) -> None:
    """Draw what follows in a plan whose technique learns from the labels, or go on with a further criterion."""
    from testimate.planning.criteria import of_all
    from testimate.planning.known_labels import drawn_words
    from testimate.planning.plan import (
        check_fingerprint,
        continue_plan,
        files_of_plan,
        inputs_of_plan,
        read_plan,
        with_further_criteria,
    )

    plan = read_plan(plan_file)
    check_output(out, votes_file, *files_of_plan(plan_file, plan))
    inputs = inputs_of_plan(plan_file, plan)
    if inputs is None:
        raise BadInput(
            f"The plan's table {plan.table} was not found, and what follows depends on it. Restore the table."
        )
    check_fingerprint(plan, inputs)
    votes = voted.votes(votes_file, plan, files_of_plan(plan_file, plan)[0], inputs)
    verdicts = votes.verdicts(plan.draws, of_all(inputs))
    longer = continue_plan(inputs, plan, verdicts)
    if criterion:
        longer = with_further_criteria(longer, criteria_of(criterion), len(verdicts))
    longer.write(out)
    more = len(longer.rows) - len(plan.rows)
    typer.echo(f"Wrote {out}: {counted(more, 'more input')} to label, {commas(len(longer.rows))} in all")
    for sentence in drawn_words(longer):
        typer.echo(sentence)
    for one in longer.criteria[len(plan.criteria) :]:
        typer.echo(f"{one.name} is asked from now on: {counted(one.after, 'answer')} so far count as skipped for it.")


@verbs.command(epilog="Example: testimate prioritize table.csv --technique severity-first --seed 1 --out order.csv")
def prioritize(
    *,
    table: Table,
    technique: Annotated[str, typer.Option(help="severity-first, deepgini, dsa, ...; see: testimate techniques")],
    seed: Seed,
    out: Annotated[Path, typer.Option(metavar="ORDER.csv", help="The order to write, all inputs.")],
    beside: TableFiles,
    training_features: Annotated[
        Path | None, typer.Option(metavar="F.npy", help="(M, width) features of the training inputs.")
    ] = None,
    budget: Annotated[
        int | None, typer.Option(help="Number of labels that the order is made for, used by severity-first.")
    ] = None,
    settings: TechniqueSettings,
    reading: Annotated[TableReading, "tolerance", "task", "column", "read", "top_k", "inputs_at"],
    quiet: Quiet = False,
) -> None:
    """Order all inputs by how much their label is worth. With known answers, testimate metrics judges the order."""
    from testimate.planning.build import technique_named
    from testimate.planning.needs import usual_auxiliary
    from testimate.planning.priority import check_takes_others, priority, write_order

    check_output(out, table, *beside.paths, training_features)
    technique_named(technique)  # a name that is none is refused before a table is read for minutes
    if beside.other:
        check_takes_others(technique)
    with ShownProgress(quiet) as progress:
        inputs = read_inputs(table, beside, reading, training_features)
        request = Request(
            technique=technique,
            budget=len(inputs) if budget is None else budget,
            seed=seed,
            auxiliary=usual_auxiliary(inputs),
            features=beside.layers,
            variant=settings.variant,
            options=settings.chosen,
        )
        order = priority(inputs, request, progress=progress)
        tell_leaks(inputs, [technique], [request.auxiliary])
    write_order(inputs, order, out)
    tell_files(inputs)
    tell_others(inputs)
    typer.echo(f"Wrote {out}: {counted(len(order.rows), 'input')} in order of priority")
    if order.warning:
        typer.echo(order.warning)
    if order.learned:
        typer.echo(f"{technique} learned from the table's answers, one after another, as it would from a tester's.")
    elif inputs.losses is None:
        typer.echo("The table has no answers: failed is empty in it, to be filled in by whoever labels.")
