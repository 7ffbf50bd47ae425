"""The techniques of sessions that follow another: their draws were chosen before, and are given in the order stored."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from testimate.core.checks import is_whole
from testimate.core.design import Purposive, Stratified
from testimate.core.errors import BadInput
from testimate.core.selector import Claims, Need, Option
from testimate.selectors.base import FixedList, check_request

PURPOSES = ("accuracy", "difference", "gate")


class TopUp(FixedList):
    """A few more inputs to label, so that earlier labels say more about a new version or its difference from another.

    Parameters
    ----------
    size : N.
    rows : (budget,) in labeling order.
    plan : their plan as PLAN.json holds it, by which earlier plans and this one are judged together.
    purpose : "accuracy", "difference", or "gate", which asks until it is decided.

    Source: this project; ``planning.top_up``.
    """

    name: ClassVar[str] = "top-up"
    title: ClassVar[str] = "A top-up"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="It has no estimate of its own; with the plans before it, it judges versions of a model.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "this project"
    options: ClassVar[tuple[Option, ...]] = (
        Option("rows", (), "the inputs, in labeling order"),
        Option("plan", (), "the plan by which they were drawn"),
        Option("purpose", "accuracy", "which estimate they are to make more precise", choices=PURPOSES),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        size: int,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        rows: Sequence[int] = (),
        plan: Mapping[str, Any] | Sequence[Any] = (),
        purpose: str = "accuracy",
    ) -> None:
        check_request(size, budget, seed, variant, self.variants)
        if not _are_rows(rows, budget, size) or not isinstance(plan, Mapping) or purpose not in PURPOSES:
            raise BadInput(
                f"A top-up of {budget} inputs for the {purpose!r:.20} came with {len(rows)}. Expected each input once, with "
                "the plan that drew them. Begin it on the Versions page."
            )
        why = "to judge the new version" if purpose == "accuracy" else "where the versions differ"
        super().__init__(Purposive((size,), budget), np.array(rows, dtype=np.intp), lambda _: f"one more label, {why}")


class EachPart(FixedList):
    """A simple random sample of each part, such as a predicted class, without replacement.

    Parameters
    ----------
    size : N.
    rows, strata : (budget,) each, in labeling order; a part is a stratum.
    sizes : inputs of each part; they sum to N. called : the column whose values are the parts, untrusted text.

    Source: this project; Cochran 1977, section 5.5 A, on allocation for estimates in strata; ``planning.parts`` draws it.
    """

    name: ClassVar[str] = "each-part"
    title: ClassVar[str] = "Each part by itself"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "once every stratum has a label",
        honest_interval=True,
        note="Its labels go to the parts whose intervals would be too wide, not where the estimate of the whole gains most.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "this project; after Cochran (1977), chapter 5"
    options: ClassVar[tuple[Option, ...]] = (
        Option("rows", (), "the inputs, in labeling order"),
        Option("strata", (), "the part of each"),
        Option("sizes", (), "inputs of each part"),
        Option("called", "", "the column whose values are the parts"),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        size: int,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        rows: Sequence[int] = (),
        strata: Sequence[int] = (),
        sizes: Sequence[int] = (),
        called: str = "",
    ) -> None:
        check_request(size, budget, seed, variant, self.variants)
        if not (_are_rows(rows, budget, size) and _are_strata(strata, sizes, budget, size)):
            raise BadInput(
                f"A sample of {budget} from {len(sizes)} parts came with {len(rows)} inputs. Expected each input once with its "
                "part. Begin it on the Plan page, or with testimate select --each."
            )
        each = np.bincount(np.array(strata, dtype=np.intp), minlength=len(sizes))
        of = f" of {called}" if called else ""
        super().__init__(
            Stratified(tuple(sizes), budget),
            np.array(rows, dtype=np.intp),
            lambda position: f"one of {each[strata[position]]} from part {strata[position] + 1}{of}",
            strata=np.array(strata, dtype=np.intp),
        )


class OfSelection(FixedList):
    """Some inputs of a selection, drawn without replacement, each with the same chance.

    Parameters
    ----------
    size : N.
    rows : the inputs it draws from, each once.
    called : what the reviewer calls the selection; untrusted text.
    known : further inputs of the selection, each once, that were labeled before it was drawn.

    Source: this project; simple random sampling, Cochran 1977, chapter 2, of a part of the inputs.
    """

    name: ClassVar[str] = "of-selection"
    title: ClassVar[str] = "Some of a selection"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="Its inputs come from a part of the set that somebody chose, so they say nothing about the whole set.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "this project; after Cochran (1977), chapter 2"
    options: ClassVar[tuple[Option, ...]] = (
        Option("rows", (), "the inputs it draws from"),
        Option("called", "", "what the reviewer calls the selection"),
        Option("known", (), "further inputs of it that were labeled before"),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        size: int,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        rows: Sequence[Any] = (),
        called: str = "",
        known: Sequence[Any] = (),
    ) -> None:
        check_request(size, budget, seed, variant, self.variants)
        held = [*rows, *known]
        if not _are_rows(held, len(held), size) or budget > len(rows):
            raise BadInput(
                f"{budget} inputs were to be drawn from a selection of {len(rows)}. Expected at most that many, each "
                f"row once and from 0 to {size - 1}. Select again on the Clusters page."
            )
        drawn = np.random.default_rng([seed, 0x5E1E]).permutation(np.array(rows, dtype=np.intp))[:budget]
        reason = f"drawn from the selection {called}" if called else "drawn from a selection"
        super().__init__(Purposive((size,), budget), drawn, lambda _: reason)


class SecondLookSampling(FixedList):
    """Answers of another session to be looked at again, so that errors in it can be corrected.

    Parameters
    ----------
    size : N.
    of : id of the session whose answers they are.
    looks : (budget, 2) row and chance of each, in labeling order.
    answers : how many answers they were drawn from.
    not_by : for each, the names of testers who are not asked, because they gave its first answer; empty where anybody
        may be asked.

    Source: this project; two-phase sampling, Sarndal, Swensson and Wretman 1992, chapter 9.
    """

    name: ClassVar[str] = "second-look"
    title: ClassVar[str] = "A second look"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "no",
        honest_interval=False,
        note="It has no estimate of its own; it corrects the one of the session whose answers it looks at again.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "this project; after Sarndal, Swensson and Wretman (1992), chapter 9"
    options: ClassVar[tuple[Option, ...]] = (
        Option("of", "", "id of the session whose answers are looked at again"),
        Option("looks", (), "row and chance of each"),
        Option("answers", 0, "how many answers they were drawn from"),
        Option("not_by", (), "for each, the tester who is not asked again"),
    )
    variants: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        size: int,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        of: str = "",
        looks: Sequence[Sequence[Any]] = (),
        answers: int = 0,
        not_by: Sequence[Sequence[str]] = (),
    ) -> None:
        check_request(size, budget, seed, variant, self.variants)
        try:
            rows = [int(row) for row, _ in looks]
            chances = [float(chance) for _, chance in looks]
        except (TypeError, ValueError):
            rows, chances = [], []
        sound = (
            _are_rows(rows, budget, size)
            and len(not_by) in (0, budget)
            and all(isinstance(names, list | tuple) for names in not_by)
        )
        if not (sound and all(0 < chance <= 1 for chance in chances) and of and budget <= answers <= size):
            raise BadInput(
                f"A second look at {budget} of {answers!r:.20} answers of session {of!r:.40} came with {len(rows)} inputs. "
                "Expected each input once with its chance. Begin it on the Results page of that session."
            )
        super().__init__(
            Purposive((size,), budget), np.array(rows, dtype=np.intp), lambda _: "an answer to look at again"
        )


class SharedSample(FixedList):
    """A stratified sample drawn where several models on the same inputs may fail, so that its labels judge each of them.

    Parameters
    ----------
    size : N.
    rows, strata : (budget,) each, in labeling order.
    sizes : inputs of each stratum; they sum to N. prior : its guessed failure rate (``Stratified.prior_failure``); empty: none.
    models : keys of the subjects it is for, the session's own first.

    Source: this project; ``planning.top_up.shared_sample``, which draws it.
    """

    name: ClassVar[str] = "shared"
    title: ClassVar[str] = "One sample for several models"
    needs: ClassVar[tuple[Need, ...]] = ("size",)
    claims: ClassVar[Claims] = Claims(
        "once every stratum has a label",
        honest_interval=True,
        always_valid=True,
        tasks=("classification",),
        note="Versions judges each model by the same labels.",
    )
    adapts: ClassVar[bool] = False
    source: ClassVar[str] = "Testimate; after Neyman (1934) and Hesterberg (1995)"
    options: ClassVar[tuple[Option, ...]] = (
        Option("rows", (), "the inputs, in labeling order"),
        Option("strata", (), "the stratum of each"),
        Option("sizes", (), "inputs of each stratum"),
        Option("prior", (), "guessed failure rate of each stratum"),
        Option("models", (), "the models it is for"),
    )
    variants: ClassVar[tuple[str, ...]] = ()
    aims: ClassVar[bool] = True

    def __init__(
        self,
        size: int,
        *,
        budget: int,
        seed: int,
        variant: str | None = None,
        rows: Sequence[int] = (),
        strata: Sequence[int] = (),
        sizes: Sequence[int] = (),
        prior: Sequence[float] = (),
        models: Sequence[str] = (),
        aimed_at: int | None = None,
    ) -> None:
        check_request(size, budget, seed, variant, self.variants)
        if not (_are_rows(rows, budget, size) and _are_strata(strata, sizes, budget, size) and len(models) > 1):
            raise BadInput(
                f"A sample of {budget} for {len(models)} models came with {len(rows)} inputs in {len(sizes)} strata. Expected "
                "each input once with its stratum, and two models at least. Begin it on the Plan page."
            )
        super().__init__(
            Stratified(tuple(sizes), budget, prior_failure=tuple(prior) or None, in_rounds=True, aimed_at=aimed_at),
            np.array(rows, dtype=np.intp),
            lambda position: f"stratum {strata[position] + 1} of {len(sizes)}, by how many of the models may fail",
            strata=np.array(strata, dtype=np.intp),
        )


def _are_rows(rows: Sequence[Any], count: int, size: int) -> bool:
    """Whether these are that many inputs of ``size``, each once."""
    return all(is_whole(row, 0, size - 1) for row in rows) and len(set(rows)) == len(rows) == count


def _are_strata(strata: Sequence[Any], sizes: Sequence[Any], count: int, size: int) -> bool:
    """Whether these are the strata of that many inputs, whose ``sizes`` sum to ``size``."""
    whole = all(is_whole(h, 0, len(sizes) - 1) for h in strata) and all(map(is_whole, sizes))
    return whole and len(strata) == count and sum(sizes) == size
