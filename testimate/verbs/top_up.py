"""A few more labels for a new version, from files."""

from collections.abc import Sequence
from pathlib import Path

from testimate.planning.plan import Plan
from testimate.planning.reuse import Paths, Source, read_versions
from testimate.planning.top_up import Purpose
from testimate.planning.top_up import top_up as plan_of_top_up


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
    new, plan, votes, old, against, others, classes, used_for_training : as for ``reuse``, with its errors.

    Raises BadInput, too, where fewer inputs are left than ``count``, and for a difference without a version to compare with.
    """
    found = read_versions(
        new,
        plan,
        votes,
        old=old,
        against=against,
        others=others,
        classes=classes,
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
