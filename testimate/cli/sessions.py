"""The verbs for labeling sessions: list, export, import and replay."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from testimate.cli.options import Json, Mlflow, ProjectOptions, Verbs, VoteReading
from testimate.cli.output import aside, check_output, write_json
from testimate.core.errors import BadInput, NotEnoughLabels
from testimate.core.files import write_whole
from testimate.core.words import commas, counted

if TYPE_CHECKING:
    from testimate.project.project import Project
    from testimate.session.session import Session

verbs = Verbs("sessions", "List, export, import and replay labeling sessions.")
Id = Annotated[str, typer.Argument(metavar="SESSION", help="Its id, as the list gives it.")]


@verbs.command("list", epilog="Example: testimate sessions list --project my-project")
def list_(kept: ProjectOptions, to: Json = "") -> None:
    """List the sessions, newest first."""
    records = kept.opened().sessions()
    if to:
        rows = [
            {"id": one.id, "subject": one.subject, "name": one.subject_name, "technique": one.request.technique}
            | {"budget": one.request.budget, "seed": one.request.seed, "created": one.created}
            for one in records
        ]
        write_json(rows, to)
        return
    for one in records:
        typer.echo(
            f"{one.id}  {one.created[:16]}  {one.request.technique:<9} {one.request.budget:>6}  {one.subject_name}"
        )
    if not records:
        typer.echo("No sessions yet. Start one in the app: testimate app")


@verbs.command(epilog="Example: testimate sessions export 3f2a9c --out session.testimate")
def export(
    *,
    session: Id,
    out: Annotated[
        Path,
        typer.Option(
            help="By its ending: .testimate reopens elsewhere, .csv, .parquet, .html a report, .json for Label Studio."
        ),
    ],
    votes: Annotated[
        bool,
        typer.Option("--votes", help="A table with one row per answer, not one per input with the label that counts."),
    ] = False,
    mlflow: Mlflow = "",
    kept: ProjectOptions,
) -> None:
    """Write a session to a file."""

    check_output(out)
    opened = kept.opened()
    if votes and out.suffix.lower() not in (".csv", ".parquet"):
        raise BadInput(
            f"--votes writes one row per answer, and {out.name} is no table. Expected .csv or .parquet. Rename it."
        )
    writers = _writers(opened, votes=votes)
    if out.suffix.lower() not in writers:
        raise BadInput(
            f"{out.name} ends in {out.suffix or 'nothing'}. Expected one of {', '.join(writers)}. Rename it."
        )
    if mlflow and out.suffix.lower() != ".html":
        raise BadInput(
            f"--mlflow logs a report, and {out.name} is none. Expected a name that ends in .html. Rename it."
        )
    content = writers[out.suffix.lower()](opened.session(session))
    write_whole(out, content)
    typer.echo(f"Wrote {out} (session {session}).")
    if mlflow:
        log_report(mlflow, opened.session(session), content.decode())


@verbs.command("import", epilog="Example: testimate sessions import session.testimate")
def import_(
    *,
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A bundle, .testimate; with --into votes: .json of Label Studio, or .csv."),
    ],
    into: Annotated[str, typer.Option(metavar="SESSION", help="The session that takes the votes in.")] = "",
    labels: VoteReading,
    kept: ProjectOptions,
) -> None:
    """Reopen a session that was exported elsewhere, or add votes made elsewhere to one that is here.

    The same inputs must be in this project. Votes are taken in as a whole: where one does not fit, none is.
    """
    opened, ending = kept.opened(), file.suffix.lower()
    votes = ending in (".json", ".csv")
    if votes != bool(into):
        needed = "a session to take them in: add --into SESSION" if votes else "no --into: it names its session itself"
        raise BadInput(
            f"{file.name} contains {'votes' if votes else 'a whole session'}. Expected {needed}. Change the command."
        )
    if not votes:
        from testimate.project.bundle import import_bundle

        found = import_bundle(opened, file.read_bytes())
        typer.echo(f"The session {found.session_record.id} is here with {commas(len(found.history()))} events.")
        return
    from testimate.reports.votes_import import add_votes, votes_of_file

    session = opened.session(into)
    on = opened.columns.voted_on(session.session_record.subject)
    said = votes_of_file(file, session.inputs.task, aside, labels.answers, on=on, key=labels.key)
    coded = sum(event.kind == "codes" for event in said)
    new = f"{commas(add_votes(session, said))} of {commas(len(said) - coded)} votes in {file} are new"
    with_codes = f", with the codes of {counted(coded, 'failure')}" if coded else ""
    typer.echo(f"{new}; they are in the session {into}{with_codes}.")


@verbs.command(epilog="Example: testimate sessions replay 3f2a9c")
def replay(session: Id, kept: ProjectOptions, to: Json = "") -> None:
    """Rebuild a session from its stored events, check that every draw is the same, and print the estimate."""
    from testimate.planning.estimate import interval_words
    from testimate.reports.people import known_answer_words, known_label_words
    from testimate.reports.remarks import remarks
    from testimate.reports.words import counts_words, earlier_interval_words, extended_words, skipped_words
    from testimate.session.session import headline

    opened = kept.opened().session(session)
    counts, events = opened.counts(), len(opened.history())
    facts = {"session": session, "events": events, "labeled": opened.labeled, "skipped": opened.skipped}
    facts |= {"counts": asdict(counts), "known_answers": [asdict(one) for one in opened.known_answers_given()]}
    if opened.session_record.known_labels:
        facts["known_labels"] = opened.known_counts().to_json()
    try:
        estimate = opened.estimate()
    except NotEnoughLabels as error:
        if to:
            write_json({**facts, "estimate": None, "why": str(error)}, to)
        else:
            typer.echo(f"{commas(events)} events replayed, every draw as it was. {error}")
        return
    measure = opened.inputs.task.measure
    skips = skipped_words(estimate, measure)
    again = earlier_interval_words(opened, estimate)
    counting = headline(opened, estimate)
    if to:
        said = {**estimate.to_json(), "skips": skips, "computed_anew": again, "headline": counting}
        write_json({**facts, "estimate": said}, to)
        return
    found = f"{measure.value(estimate.accuracy)} {interval_words(estimate, counting, measure)}".rstrip()
    typer.echo(f"{commas(events)} events replayed, every draw as it was: {measure.noun.removeprefix('the ')} {found}.")
    known = (*remarks(opened), *known_label_words(opened), *known_answer_words(opened))
    for sentence in (f"{counts_words(counts)}.", estimate.why, skips, extended_words(opened), again, *known):
        if sentence:
            typer.echo(sentence)


def log_report(experiment: str, session: "Session", report: str) -> None:
    """Logs the session's numbers and its report as a run of MLflow. NotEnoughLabels where it has none yet."""
    from testimate.reports.mlflow_run import LoggedResult, log_run
    from testimate.session.session import headline

    estimate = session.estimate()
    result = LoggedResult(estimate, headline(session, estimate), {"report.html": report})
    run = log_run(experiment, session.session_record.subject_name, result)
    aside(f"Logged to MLflow as run {run} of {experiment}.")


def _writers(project: "Project", *, votes: bool) -> "dict[str, Callable[[Session], bytes]]":
    from testimate.project.bundle import write_bundle
    from testimate.project.cluster_review import named_parts
    from testimate.project.second_looks import corrections
    from testimate.reports.exports import label_studio_json, labels_csv, labels_parquet
    from testimate.reports.people import votes_csv, votes_parquet
    from testimate.reports.report import report_html

    return {
        ".testimate": write_bundle,
        ".csv": lambda session: (votes_csv if votes else labels_csv)(session).encode(),
        ".parquet": votes_parquet if votes else labels_parquet,
        ".html": lambda session: report_html(
            session, corrections(project, session), named_parts(project, session)
        ).encode(),
        ".json": lambda session: label_studio_json(session).encode(),
    }
