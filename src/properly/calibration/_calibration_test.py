"""The test of calibration: `calibration_test` chooses the statistic and the cases.

Of several classes, one outcome a case answers all yes-or-no questions about its class at once, so
classes are drawn and the questions asked of what was drawn: the answers depend on one another as
they should.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial, reduce
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._interrupts import checked
from properly._boundary._libraries import to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import as_generator, check_choice, check_flag, check_whole
from properly._boundary._text import many
from properly.calibration._components import (
    ENOUGH,
    ForecastPrices,
    NullDraws,
    components,
    decide,
    least_of,
    miscalibration_of,
    p_value,
)
from properly.calibration._event_tests import TRIALS, Trial
from properly.calibration._statistics import CalibrationTest, why_untested
from properly.counts._calls import takes_rows
from properly.counts._cases import (
    Cases,
    as_counted,
    has_classes,
    has_clusters,
    has_time,
    is_dependent,
    note_whole_weights,
    require_no_time,
    rows_in_use,
)
from properly.counts._reductions import VIEWS, Plan, View, ask, plan_for, refuse_reduction
from properly.counts._tally import Tally, as_tally
from properly.errors import ArgumentTypeError, DataError, ImproperRuleError
from properly.inference._cells import LONG, Draw
from properly.inference._design import is_alike
from properly.inference._draws import fast_stream
from properly.rules import BinaryRule, Brier, Rule
from properly.rules._penalty import decide_by_mode
from properly.rules._ranked_probability import CutRule
from properly.rules._rule import as_rule, require_binary
from properly.typing import Column

Statistic: TypeAlias = Literal[
    "combined", "mcb", "score", "spiegelhalter", "cox", "citl", "ks", "kuiper", "hosmer-lemeshow"
]
WITH_RULE = ("combined", "mcb")
WITH_CLUSTERS = ("score", "cox", "citl")
WITHOUT_TIME = ("spiegelhalter", "hosmer-lemeshow")


@takes_rows
def calibration_test(
    tally: Tally | Cases,
    rule: Rule | str | None = None,
    *,
    statistic: Statistic | None = None,
    groups: int = 10,
    training: bool = False,
    reduction: View | None = None,
    replicates: int = 999,
    rng: int | np.random.Generator | None = None,
) -> CalibrationTest:
    r"""Test whether outcomes come with the probabilities that were forecast.

    The forecasts are kept and outcomes drawn as they say, again and again; the p-value is

    .. math:: p = \frac{1 + \#\{T^* \ge T\}}{1 + B}

    with :math:`T^*` the statistic of each of the :math:`B` draws. For independent outcomes it is
    exact: of calibrated forecasts no more than a share :math:`\alpha` has :math:`p \le \alpha`,
    however few cases there are.

    Parameters
    ----------
    tally : Tally or Cases
        The forecasts and what happened. Of weights only the ratios matter, and a row is one case
        however much it weighs. Draws keep the weight of each row, so they need `Cases`; of a tally
        of weights ``"spiegelhalter"`` alone can be said. Numbers of like cases are ``count=``.
    rule : Rule or str, optional
        A proper rule to measure miscalibration by, or its name; `Brier` unless said otherwise.
        Another one without a `statistic` means ``"mcb"``.
    statistic : str, optional
        What to test by, see below: ``"combined"`` of independent cases, ``"score"`` of cases in
        clusters or with times, and ``"mcb"`` of several classes, unless said otherwise.
    groups : int
        Groups of forecasts for ``"hosmer-lemeshow"``.
    training : bool
        Whether the model was fitted to these very cases; for ``"hosmer-lemeshow"`` only.
    reduction : {"one_vs_rest", "cumulative", "top_label"}, optional
        Which questions to ask of several classes, as in `properly.decompose`.
    replicates : int
        Random draws. If none of them reaches what was observed there are 1,000, so that the p-value
        is below 0.001; of classes, if cases times questions are no more than a million.
    rng : int or numpy Generator, optional
        Seed or source of the randomness; without it, every call draws anew.

    Returns
    -------
    CalibrationTest

    Notes
    -----
    With :math:`x` the forecasts and :math:`y` the outcomes, the statistics are

    - ``"mcb"``: the miscalibration of CORP [1]_, of any proper rule. Sees errors of every shape.
    - ``"score"``: the score test of a logistic recalibration
      :math:`\operatorname{logit} P = a + b \operatorname{logit} x`, that is
      :math:`U' I^{-1} U` with :math:`U = \sum z (y - x)`, :math:`I = \sum x (1 - x) z z'` and
      :math:`z = (1, \operatorname{logit} x)`. Sees shifts and slopes best. Of cases in clusters
      :math:`\sum_g U_g U_g'` takes the place of :math:`I`: outcomes of a cluster may depend on one
      another in any way. With :math:`Q` this statistic, :math:`q` its degrees of freedom and
      :math:`G` clusters, the p-value is that of chi-squared. It cannot be small with few clusters,
      since :math:`Q \le G`: with five it is never below 0.08. Where it cannot reach 0.05, or in
      `properly.evaluate` 1 - level for so many models, it is NaN: not tested. In `parts` is that
      of :math:`Q (G - q) / (q (G - Q))`, an F with :math:`q` and :math:`G - q` (Hotelling's test of
      a mean), which can, but refuses too often with few clusters. NaN if clusters do not vary.
    - ``"combined"``: both of these, on the same draws. The smaller of their two p-values is itself
      ranked among those of the draws; this too is exact, and nearly as strong as the better one.
    - ``"cox"``: the likelihood ratio of :math:`a = 0, b = 1` [2]_, chi-squared; ``"citl"``: of
      :math:`a = 0` given :math:`b = 1`, calibration-in-the-large. With weights that differ or with
      clusters, an F from the covariance that these leave; NaN if they leave no variation.
    - ``"spiegelhalter"``: :math:`\sum (y - x)(1 - 2x) / \sqrt{\sum (1 - 2x)^2 x (1 - x)}` [3]_,
      normal. One contrast alone: blind to a plain shift of forecasts around one half.
    - ``"ks"``, ``"kuiper"``: the greatest distance from 0, and the range, of the sums of
      :math:`y - x` over all forecasts up to each [4]_, divided by
      :math:`\sqrt{\sum x (1 - x)}`. Draws make the p-value; that of a Brownian path, which is too
      large if there are few distinct forecasts, is in `parts`.
    - ``"hosmer-lemeshow"``: :math:`\sum (O - E)^2 / (E (1 - E / n))` over groups between
      quantiles of the forecasts [5]_; chi-squared with as many degrees of freedom as there are
      groups, or two less for the model's own training data. It depends on the groups, and refuses
      too often if events are rare. For comparison with published numbers.

    A small p-value says that there is miscalibration, not that there is much of it: with enough
    cases everything is refused. `properly.decompose` with ``interval=True`` says how much.

    **Certain forecasts.** One that turned out wrong refutes calibration outright. The p-value is
    then the least that so many draws can give, or 0 for ``"cox"``, ``"citl"`` and ``"score"`` of
    clusters. One that came true adds nothing to these; ``"cox"`` and ``"citl"`` are NaN if there
    are no others. ``"spiegelhalter"`` and ``"hosmer-lemeshow"`` take a wrong one as any other case.

    **Few clusters.** Of calibrated forecasts with a correlation of about 0.2 within clusters of 20
    cases, ``"score"`` refused at 5 %, in simulations, 0, 4, 5 and 5 % of samples of 5, 10, 20 and
    50 clusters if the event was as likely as not, and 0, 8, 8 and 6 % if it happened in one case of
    ten, since sums over clusters are skewed then. By the F these were 6, 7, 7 and 5 %, and 13, 12,
    10 and 6 %. Have 20 clusters or more.

    **Several classes.** A class is drawn for each case from its probabilities, and the
    miscalibration is that of `properly.decompose`: the sum over the questions.
    Exact too.

    **Very many forecasts.** Of more than 8,192 distinct forecasts, draws are counted in about
    1,300 cells, and compared with what was observed in the same cells. The miscalibration is that
    of all forecasts, and so is, but for chance, its mean if they are calibrated. So it is with each
    question about classes.

    **Time.** Outcomes may depend on those of neighbouring times, of which there must be 20. What
    counts is the dependence that is left beside the forecasts. ``"score"`` takes the covariance of
    :math:`U` from :math:`\nu` cosines of its sums over times. With :math:`Q` as above, the p-value
    is that of :math:`Q (\nu - q + 1) / (q \nu)`, an F with :math:`q` and :math:`\nu - q + 1`, as it
    is for ``"cox"`` and ``"citl"``. Other tests draw outcomes that depend on one another: sums of
    them vary by `psi` more than those of independent ones, as they did, but for chance. Their
    p-values are then not exact. If `psi` is above 2, fewer than 100 effective times are warned of,
    and with fewer than 30 there is no p-value. ``"spiegelhalter"`` and ``"hosmer-lemeshow"`` refuse
    times, and so does the test of classes.

    Of a tally that was grouped into cells the p-value is not exact, since the forecasts of a cell
    are not all its mean.

    References
    ----------
    .. [1] T. Dimitriadis, T. Gneiting, A. I. Jordan (2021). Stable reliability diagrams for
       probabilistic classifiers. Proceedings of the National Academy of Sciences 118:e2016191118.
       `doi:10.1073/pnas.2016191118 <https://doi.org/10.1073/pnas.2016191118>`__
    .. [2] D. R. Cox (1958). Two further applications of a model for binary regression. Biometrika
       45:562-565.
    .. [3] D. J. Spiegelhalter (1986). Probabilistic prediction in patient management and clinical
       trials. Statistics in Medicine 5:421-433.
    .. [4] I. Arrieta-Ibarra, P. Gujral, J. Tannen, M. Tygert, C. Xu (2022). Metrics of calibration
       for probabilistic predictions. Journal of Machine Learning Research 23(351):1-54.
    .. [5] D. W. Hosmer, S. Lemeshow (1980). Goodness of fit tests for the multiple logistic
       regression model. Communications in Statistics A 9:1043-1069.

    Examples
    --------
    >>> import properly
    >>> died, forecasts = properly.datasets.crash().died, properly.datasets.crash().forecasts
    >>> t = properly.tally(died, forecasts["balanced_boosting"])
    >>> properly.calibration_test(t, replicates=199, rng=1)
    CalibrationTest(combined: p <= 0.001, Monte Carlo)
    >>> t = properly.tally(died, forecasts["logistic"])
    >>> print(properly.calibration_test(t, replicates=199, rng=1))
    p = 0.05 by the combined test of calibration (Monte Carlo, 199 draws; mcb alone 0.07;
    score alone 0.025; miscalibration 0.0006761, 0.0005145 if calibrated; 8,879 independent cases)
    >>> print(properly.calibration_test(t, statistic="cox"))
    p = 0.00686 by the cox test of calibration (chi-squared with 2 degrees of freedom;
    citl alone 0.149; slope alone 0.00499; 8,879 independent cases)
    """
    drawing = check_whole(replicates, "replicates"), as_generator(rng)
    groups, training = check_whole(groups, "groups"), check_flag(training, "training")
    if statistic is not None:
        check_choice(statistic, tuple(TRIALS), "statistic")
    if training and statistic != "hosmer-lemeshow":
        message = "training=True takes degrees of freedom from 'hosmer-lemeshow'; "
        message += f"got it with statistic={statistic!r}"
        hint = "what a model says of its own training data is no test of its calibration."
        raise DataError(message, hint=hint)
    rule = None if rule is None else as_rule(rule)
    if has_classes(tally):
        require_no_time(tally, "the calibration test of classes")
        rule = Brier() if rule is None else rule
        plan = _plan(tally, rule, statistic, reduction)
        return _of_classes(tally, plan, rule.name, *drawing)
    refuse_reduction(reduction)
    if isinstance(tally, Cases):
        tally = as_counted(tally)
    else:
        tally = as_tally(tally)
        note_whole_weights(tally)
    chosen = Brier() if rule is None else _proper(require_binary(rule))
    name = "score" if rule is None and is_dependent(tally) else "combined"
    if rule is not None and (not isinstance(rule, Brier) or has_clusters(tally)):
        name = "mcb"
    name = statistic or name
    _require_fit(tally, name, rule)
    result = _by_trial(name, Trial(tally, chosen, *drawing, groups, training))
    if reason := why_untested(result):
        notice(f"calibration was not tested: {reason}")
    return result


def combined_test(
    source: Tally | Cases, replicates: int, null: NullDraws | None, rng: Any = None
) -> CalibrationTest:
    """Make the usual test of independent cases, by draws that others have made, Brier's too."""
    return _by_trial("combined", Trial(source, Brier(), replicates, rng, given=null))


def dependent_test(source: Cases, small: float) -> CalibrationTest:
    """Make the usual test of cases in clusters or with times, unless no p-value can be `small`."""
    return _by_trial("score", Trial(source, Brier(), 0, small=small))


def _by_trial(name: str, trial: Trial) -> CalibrationTest:
    about: dict[str, Any] = {"design": trial.design, "dependence": trial.dependence}
    if trial.dependence is not None and trial.dependence.warn():
        return CalibrationTest(name, math.nan, math.nan, "none", **about)
    return replace(TRIALS[name](trial), **about)


def _proper(rule: BinaryRule) -> BinaryRule:
    if not rule.is_proper:
        message = f"only a proper rule can test calibration; {rule!r} is improper"
        raise ImproperRuleError(message)
    return rule


def _require_fit(source: Tally | Cases, statistic: str, rule: Rule | None = None) -> None:
    """Refuse a test that does not fit the cases, and a rule that does not fit the test."""
    if rule is not None and statistic not in WITH_RULE:
        message = "a rule measures the miscalibration, for statistic='combined' or 'mcb'; "
        message += f"got {rule!r} with statistic={statistic!r}"
        raise DataError(message)
    kind, refused, hint = (
        ("clusters", statistic not in WITH_CLUSTERS, "'score', 'cox' and 'citl' allow for clusters")
        if not has_time(source)
        else ("times", statistic in WITHOUT_TIME, "'score' allows for dependence in time")
    )
    if refused and (has_time(source) or has_clusters(source)):
        message = (
            f"the calibration test {statistic!r} takes cases as independent; these have {kind}"
        )
        raise DataError(message, hint=f"statistic={hint}.")


def _plan(cases: Cases, rule: Rule, statistic: str | None, reduction: View | None) -> Plan:
    """Choose questions for classes, each with a proper rule."""
    if statistic not in (None, "mcb"):
        message = (
            f"of several classes the miscalibration is tested, statistic='mcb'; got {statistic!r}"
        )
        hint = "cumulative, one_vs_rest and top_label make events of classes, each with its tests."
        raise DataError(message, hint=hint)
    _require_fit(cases, "mcb")
    if reduction is not None:
        check_choice(reduction, VIEWS, "reduction")
    if not isinstance(rule, BinaryRule | CutRule):
        message = f"classes are tested by a rule for one event or for cuts; got {rule!r}"
        raise ArgumentTypeError(message, hint="pass a rule such as Brier() or RPS().")
    own = "auto" if isinstance(rule, CutRule) else "one_vs_rest"
    plan = plan_for(rule, reduction or own, cases.classes or 0)
    for judge in plan.rules:
        _proper(judge)
    return plan


# Answers to questions, one a case each, that are drawn on where no draw reaches what was observed:
# a thousand draws of more take longer than some seconds.
AFFORDED = 1_000_000


# Cases, and draws of their classes, that are taken together; 16 bits can count so many cases.
BLOCK, TOGETHER = LONG, 32
Answer: TypeAlias = Callable[[Column, slice], Column]


class _ClassQuestion(NamedTuple):
    """A yes-or-no question about the class, and its forecasts, or cells of very many.

    Attributes
    ----------
    share : float
        What its miscalibration is multiplied by.
    answer : callable
        Says which classes mean yes, given those of some of the cases, a row each.
    cell : numpy array
        The forecast of each case, as an index into the distinct ones.
    weight : numpy array
        The weight of each case.
    prices : ForecastPrices
        What the rule charges at each forecast.
    known : tuple
        The score and the miscalibration, that of cells, and how much larger it is without, in mean.
    """

    share: float
    answer: Answer
    cell: Column
    weight: Column
    prices: ForecastPrices
    known: tuple[float, float, float, float]

    def miscalibration(self, classes: Iterable[tuple[slice, Column]]) -> Column:
        """Return that of each draw of classes, a column each, for each block of cases."""
        pairs = [(some, self.answer(drawn, some)) for some, drawn in classes]
        events = reduce(np.add, (self._sum(*pair) for pair in pairs))
        # Added up alike: rounding must not lead beyond certainty, nor short of it.
        weight = reduce(np.add, (self._sum(some, yes[:, :1] | True) for some, yes in pairs))[:, 0]
        drawn: Column = components((Draw(weight, row) for row in events.T), self.prices)[0]
        return drawn

    def _sum(self, some: slice, happened: Column) -> Column:
        """Add up the weight of events at each forecast, of all draws at once."""
        from scipy.sparse import csc_array

        cell, weight = self.cell[some], self.weight[some]
        shape = len(self.prices.if_event), len(cell)
        sums = csc_array((weight, cell, np.arange(len(cell) + 1, dtype=np.int32)), shape=shape)
        total: Column = sums @ happened.astype(weight.dtype)
        return total.astype(np.result_type(weight.dtype, np.int64))


def _of_classes(
    cases: Cases, plan: Plan, rule: str, replicates: int, rng: np.random.Generator
) -> CalibrationTest:
    """Compare the miscalibration of all questions with that of classes drawn as forecast."""
    y, p, _, _ = rows_in_use(cases)
    blocks = [slice(k, k + BLOCK) for k in range(0, len(y), BLOCK)]
    drawers = [_drawer(p[some]) for some in blocks]
    seed = np.random.default_rng(rng.integers(0, 2**63))
    stream, drawn = fast_stream(seed), np.empty(0)
    questions = _questions(cases, plan, seed)
    total = np.sum([q.share * np.array(q.known) for q in questions], axis=0)
    score, observed, in_cells, finer = map(float, total)

    def draws(replicates: int) -> Column:
        nonlocal drawn
        for done in checked(range(len(drawn), replicates, TOGETHER)):
            columns = [draw(stream, min(TOGETHER, replicates - done)) for draw in drawers]
            pairs = list(zip(blocks, columns, strict=True))
            drawn = np.append(drawn, sum(q.share * q.miscalibration(pairs) for q in questions))
        return drawn

    # No draw has a class that was called impossible.
    is_refuted = bool((p[np.arange(len(y)), y] == 0).any())
    chance, replicates, is_bound = decide(
        least_of if is_refuted else lambda n: p_value(in_cells, draws(n), score),
        replicates,
        enough=ENOUGH if len(y) * len(questions) <= AFFORDED else 0,
    )
    size = max(observed, 0.0)
    return CalibrationTest(
        *("mcb", size, chance, "Monte Carlo"),
        miscalibration=size,
        mean_if_calibrated=float(draws(replicates).mean()) + finer,
        replicates=replicates,
        p_is_bound=is_bound,
        design=many(len(y), "independent case"),
        rule=rule,
    )


def _questions(cases: Cases, plan: Plan, rng: np.random.Generator) -> list[_ClassQuestion]:
    """Find what is known of each question, and the cell of each case."""
    weight, used = rows_in_use(cases)[2:]
    if is_alike(weight) and weight[0] == 1:
        weight = np.ones(len(weight), dtype=np.uint16)
    answers, asked, result = _answers(cases, plan.view, used), ask(cases, plan.view).values(), []
    for share, answer, x, rule in zip(plan.weights, answers, asked, plan.rules, strict=True):
        # What has no weight adds nothing, even if it is infinite.
        if share > 0:
            null = NullDraws(as_counted(x), [rule], rng)
            every = as_tally(null.source)
            first = to_numpy(every.value)[null.start if null.start is not None else slice(None)]
            cell = np.searchsorted(first, to_numpy(x.p)[used], side="right") - 1
            known = *miscalibration_of(every, rule), null.observed(rule)[1], null.finer[0]
            prices = ForecastPrices.at(null.sampler.value, rule)
            result.append(
                _ClassQuestion(share, answer, cell.astype(np.int32), weight, prices, known)
            )
    return result


def _answers(cases: Cases, view: str, used: Column) -> list[Answer]:
    """Say for each question which classes mean yes."""
    number = range(cases.classes or 0)
    if view == "one_vs_rest":
        return [partial(_says, np.equal, k) for k in number]
    if view == "cumulative":
        return [partial(_says, np.greater_equal, k) for k in number[1:]]
    return [partial(_says, np.equal, to_numpy(decide_by_mode(cases.p))[used][:, None])]


def _says(compare: np.ufunc, limit: int | Column, drawn: Column, some: slice) -> Column:
    yes: Column = compare(drawn, limit if isinstance(limit, int) else limit[some])
    return yes


def _drawer(p: Column) -> Callable[[np.random.Generator, int], Column]:
    """Return what draws classes of cases, a replicate a column."""
    below = np.cumsum(p, axis=1, dtype=np.float64)
    # No rounding may lead past the last class that is possible, nor to one that is not.
    total = below[:, -1]
    limits = [np.where(column >= total, np.inf, column) for column in below[:, :-1].T]

    def draw(rng: np.random.Generator, replicates: int) -> Column:
        result = np.zeros((replicates, len(p)), dtype=np.min_scalar_type(len(limits)))
        for row in result:
            number = rng.random(len(p)) * total
            for limit in limits:
                np.add(row, (number >= limit).view(np.uint8), out=row)
        return np.ascontiguousarray(result.T)

    return draw
