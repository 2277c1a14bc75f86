"""A monitor of models in production: evidence that one may look at after every batch."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import numpy as np

from properly._boundary._files import require, require_writable, write_whole
from properly._boundary._libraries import to_numpy
from properly._boundary._notices import notice
from properly._boundary._options import as_number, check_level
from properly._boundary._record import Backend, plain, to_frame
from properly._boundary._stored import StoredKind
from properly._boundary._text import many, printable, quoted, wrapped
from properly.comparison._bets import require_proper
from properly.counts._cases import Forecasts, named_forecasts
from properly.errors import ArgumentTypeError, DataError
from properly.evaluation._monitor import _cases, _claims
from properly.evaluation._monitor._cases import MonitorBatch
from properly.evaluation._stream import BatchKind, require_few_groups
from properly.recalibration._map import Map, map_of
from properly.rules import BinaryRule, Brier
from properly.rules._parse import parse_rule
from properly.typing import ArrayLike, Column

OPTIONS = ("level", "against", "rule", "maps", "run_length", "lag", "pos_label")
# Each of the lag + 1 series needs some cases; this is hours, six weeks ahead.
MOST_LAG = 1000
STATES = StoredKind(
    "state",
    writers="Monitor.save writes them, and so does properly monitor, which begins new files.",
    remedy="put back a copy of it, or begin a new one from all cases.",
    # Some tens of millions of cases; more are watched by groups of their own files.
    smaller="begin another one, for the cases to come.",
    largest=2**30,
)
# The columns of a file that are not forecasts.
READ = ("outcome", "id", "clusters", "groups")


@contextmanager
def alone(path: str | os.PathLike[str]) -> Iterator[None]:
    """Keep others from reading and writing the states in a folder meanwhile; they wait."""
    with ExitStack() as stack:
        # There is no folder of a name that no file can have. Where one cannot be locked, a state
        # that changed meanwhile is refused.
        with suppress(ValueError, ImportError, OSError):
            import fcntl

            handle = os.open(Path(os.path.realpath(path)).parent, os.O_RDONLY)
            stack.callback(os.close, handle)
            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


class Monitor:
    r"""Watches models in production, and raises an alarm when they go wrong.

    The evidence may be looked at as often as one likes. If forecasts are calibrated given the
    outcomes of all earlier cases but the last `lag`, and no model is beaten, the probability of any
    alarm, ever, is at most one minus the level.

    Parameters
    ----------
    level : float
        One minus the probability of a false alarm, of all claims together and at any time.
    against : str or float, optional
        Look also for evidence that something is better than each model: a model among the
        forecasts, by its name, or a constant forecast such as the event rate.
    rule : BinaryRule or str, optional
        The proper rule that says what is better; unless said otherwise, `Brier`.
    maps : Map or dict of Map, optional
        What is watched are recalibrated forecasts: by the map of each model, or of the only one.
    run_length : float, optional
        Begin anew after each alarm. False alarms are then at least so many cases apart on average,
        and `level` says nothing.
    lag : int
        How many of the cases just before a case have no outcome yet when it is forecast: 0 for
        forecasts one step ahead, h - 1 for h steps ahead. It counts cases, or clusters; cases
        forecast for one time, as several stations on a day, are a cluster.
    pos_label : label, optional
        The label of the event.

    Notes
    -----
    *Calibration.* The evidence is the mean, over 9 intercepts :math:`a` from -1 to 1 and 7 slopes
    :math:`b` from 0.5 to 2, of the likelihood ratios of a recalibration and the forecasts
    :math:`x`,

    .. math:: E = \frac1{63} \sum_{a, b} \prod_t \Big( \frac{q_t}{x_t} \Big)^{y_t}
        \Big( \frac{1 - q_t}{1 - x_t} \Big)^{1 - y_t}, \qquad
        \operatorname{logit} q_t = a + b \operatorname{logit} x_t .

    Each factor has the mean 1 if the forecast is right. Forecasts that are too high, too low, too
    extreme or too timid are detected; errors that no such line describes may not be.

    *Comparison.* The claim that is tested is strong: the forecast :math:`p` is at least as good as
    the other, :math:`q`, in every case, given all that came before. To refute it says that the
    other is *better at times*, not on average. With :math:`s` the losses, a bet :math:`\lambda`
    gains by the factor [4]_

    .. math:: 1 + \lambda \frac{s(p, y) - s(q, y)}{|s(p, r) - s(q, r)|}, \qquad r = 1\{p > q\},

    whose mean is at most 1 if :math:`p` is at least as good. The evidence is the mean of the
    products for bets of 0.1, 0.3, 0.5, 0.7 and 0.9. Nothing is bet where the denominator is 0,
    since the losses are equal, or infinite, since there is nothing to be gained.

    *Level.* Each of :math:`K` claims has a share of :math:`1 / K` of the error rate
    :math:`\alpha`, and is an alarm at :math:`K / \alpha`. With groups, half of it goes to
    all cases, half to the groups: equally to those of the first batch, and as much again to all
    that come later.

    *Order.* Cases count in the order of their forecasts. Settled cases wait behind one that is
    open. So it does not matter why some outcomes come sooner than others. Forecasts must be right
    given all earlier outcomes: cases that share their fate are a cluster.

    *Lag.* Forecasts h steps ahead miss the same news h times in a row. So cases take turns in
    `lag` + 1 series, within which each forecast knows the outcomes before it, and the evidence is
    the mean of the series [2]_. Whoever stops by that mean must include forecasts that are open at
    the time, once they are settled [3]_. Therefore the last `lag` cases count as if they had come
    out worst: the evidence is what was certain while they were open, and the probability that it
    ever reaches :math:`1 / \alpha` is at most :math:`\alpha`. A longer lag delays alarms.

    *Clusters* are within a batch: the mean of what its cases say counts as one case, which holds
    however they depend on one another.

    *Restarts.* With `run_length`, evidence from every possible beginning of a change is added up
    [1]_, and an alarm is raised at `run_length` over the share.

    References
    ----------
    .. [1] J. Shin, A. Ramdas, A. Rinaldo (2024). E-detectors: a nonparametric framework for
       sequential change detection. New England Journal of Statistics in Data Science 2:229-260.
       `doi:10.51387/23-NEJSDS51 <https://doi.org/10.51387/23-NEJSDS51>`__
    .. [2] S. Arnold, A. Henzi, J. F. Ziegel (2023). Sequentially valid tests for forecast
       calibration. Annals of Applied Statistics 17:1909-1935. `doi:10.1214/22-AOAS1697
       <https://doi.org/10.1214/22-AOAS1697>`__
    .. [3] A. Henzi, J. F. Ziegel (2022). Correction to: Valid sequential inference on probability
       forecast performance. Biometrika 109:1181-1182. `Article
       <https://academic.oup.com/biomet/article/109/4/1181/6696629>`__
    .. [4] A. Henzi, J. F. Ziegel (2022). Valid sequential inference on probability forecast
       performance. Biometrika 109:647-663. `doi:10.1093/biomet/asab047
       <https://doi.org/10.1093/biomet/asab047>`__

    Examples
    --------
    >>> import properly
    >>> monitor = properly.Monitor()
    >>> monitor.add(None, [0.2, 0.3, 0.4], ids=["a", "b", "c"])
    Added(forecasts=3, outcomes=0, again=0, early=0)
    >>> print(monitor.add([1, 1, 1], ids=["b", "a", "z"]))
    0 new cases, 2 new outcomes, 1 outcome without a forecast yet
    >>> print(monitor)
    2 cases are counted; 1 forecast has no outcome yet; 1 outcome without a forecast yet.
    No alarm. The most evidence so far is 1.397, that forecasts of 'forecast' are
      miscalibrated; 20 would be an alarm.
    Outcomes came after up to 2 later forecasts. The probability of a false alarm, ever, is
      at most 5 % if those forecasts would have been the same had the outcomes been known,
      as with independent cases; otherwise it takes a new state with a lag of 2.
    """

    def __init__(
        self,
        *,
        level: float = 0.95,
        against: str | float | None = None,
        rule: BinaryRule | str | None = None,
        maps: Map | Mapping[str, Map] | None = None,
        run_length: float | None = None,
        lag: int = 0,
        pos_label: object = None,
    ) -> None:
        rule = Brier() if rule is None else require_proper(rule)
        how = (rule, check_level(level), _as_run_length(run_length), _as_lag(lag))
        self._maps, self._pos_label = _as_maps(maps), _as_label(pos_label)
        # Without models until there are forecasts.
        self._ledger = _claims.Ledger(_claims.MonitorPlan((), _as_against(against), *how))
        self._waiting, self._register = _cases.no_cases(0), _cases.Register()
        # Of the file that this was read from or written to last.
        self._checksum: str | None = None
        # Which columns of files the command line reads, once it has been told.
        self._reading: dict[str, Any] | None = None

    def add(
        self,
        y: ArrayLike | None = None,
        forecasts: Forecasts | None = None,
        *,
        ids: ArrayLike | None = None,
        clusters: ArrayLike | None = None,
        groups: ArrayLike | None = None,
        once: bool = False,
    ) -> _claims.Added:
        """Take in a batch: cases, forecasts whose outcomes follow, or outcomes that follow.

        A batch that is refused changes nothing.

        Parameters
        ----------
        y : array-like, optional
            Outcomes; missing ones, or all, may follow by their ids.
        forecasts : dict of array-like, data frame, or array-like, optional
            Probabilities of the event, by model; of the same models in every batch. Left out,
            outcomes are of forecasts that came before, or follow.
        ids : array-like, optional
            The name of each case; with every batch, or none. A case counts once, however often its
            rows come, and as its forecast and outcome came first.
        clusters : array-like, optional
            Which cases of this batch may depend on one another.
        groups : array-like, optional
            The group of each case, each of which is watched too; with all forecasts, or none.
        once : bool
            Whether rows without ids are remembered, and those that begin with batches that were
            added so, as a file that grows does, are taken for them and not counted twice.

        Returns
        -------
        Added
            What became of the rows.
        """
        named = None if forecasts is None else named_forecasts(forecasts, "binary")
        labels = {"clusters": clusters, "groups": groups}
        batch = _cases.read_batch(y, named, ids, pos_label=self._pos_label, **labels)
        ledger = self._begun(batch)
        known = self._register.known_rows(batch) if once and ids is None else 0
        rest = batch.some(slice(known, None))
        watched = self._watched(rest, ledger)
        if batch.ids is not None:
            return self._add_by_id(watched, ledger)
        self._take(ledger, watched)
        if once and len(rest.y):
            self._register.put_down(rest)
        return _claims.Added(len(rest.y), len(rest.y), known)

    def _add_by_id(self, batch: MonitorBatch, ledger: _claims.Ledger) -> _claims.Added:
        """Take in rows with ids: new cases, and outcomes of old ones."""
        found, waiting = self._register.matched(batch, self._waiting), self._waiting
        if found.changed:
            message = (
                f"{many(found.changed, 'outcome')} differed from what had been told for the same "
                "ids before; what came first counts"
            )
            notice(message)
        if len(found.rows):
            later = int(waiting["unit"][-1] - waiting["unit"][found.rows].min())
            self._register.overlap = max(self._register.overlap, later)
        waiting["y"][found.rows] = found.y
        self._register.early = {
            i: y for i, y in (found.early | self._register.early).items() if i not in found.used
        }
        self._take(ledger, found.new)
        outcomes = len(found.rows) + int((found.new.y != _cases.OPEN).sum())
        return _claims.Added(len(found.new.y), outcomes, found.again, len(found.early))

    def _begun(self, batch: MonitorBatch) -> _claims.Ledger:
        """Require that a batch goes with those before it; begin with the first that forecasts."""
        ledger, used, has_ids = self._ledger, self._register, batch.ids is not None
        known = (used.counted, used.dropped, used.early, self._waiting)
        by_id = any(len(x) > 0 for x in known)
        without_ids = used.batches or (ledger.cases and not len(used.counted))
        if without_ids if has_ids else by_id:
            this = "is the first with ids" if has_ids else "has none"
            message = f"ids are given with every batch, or with none; this one {this}"
            raise DataError(message)
        if batch.models is None:
            return ledger
        if not ledger.plan.models:
            return _claims.Ledger(self._plan(batch.models))
        first = BatchKind(ledger.plan.models, bool(ledger.groups))
        first.require(BatchKind(batch.models, batch.groups is not None))
        return ledger

    def _plan(self, models: tuple[str, ...]) -> _claims.MonitorPlan:
        """Say what is watched, once the models are known."""
        plan, against = self._ledger.plan, self._ledger.plan.against
        if isinstance(against, str) and against not in models:
            message = f"against must be a model or a probability in [0, 1]; got {quoted(against)}"
            raise DataError(message, hint=f"models are {', '.join(map(quoted, models))}.")
        if isinstance(self._maps, Map) and len(models) > 1:
            message = f"one map is for one model; got {many(len(models), 'model')}"
            raise DataError(message, hint="write maps={'name': map, ...}.")
        if other := sorted(self._maps_of(models).keys() - set(models)):
            message = f"maps must be of models among the forecasts; got {quoted(other[0])}"
            raise DataError(message)
        return plan._replace(models=models)

    def _maps_of(self, models: tuple[str, ...]) -> dict[str, Map]:
        """Return the maps of models; a single map is that of the only one."""
        return {models[0]: self._maps} if isinstance(self._maps, Map) else self._maps or {}

    def _watched(self, batch: MonitorBatch, ledger: _claims.Ledger) -> MonitorBatch:
        """Return a batch with the forecasts that are watched: in the first order, recalibrated."""
        if batch.groups is not None:
            require_few_groups({*ledger.groups, *batch.groups.tolist()})
        models = ledger.plan.models
        if batch.models is None or not len(batch.y):
            return batch._replace(p=np.zeros((len(batch.y), len(models))))
        p = dict(zip(batch.models, batch.p.T, strict=True))
        p |= {name: to_numpy(x.at(p[name])) for name, x in self._maps_of(models).items()}
        return batch._replace(p=np.column_stack([p[name] for name in models]))

    def _take(self, ledger: _claims.Ledger, batch: MonitorBatch) -> None:
        """Let new cases wait for their turn, and count those that no longer have to."""
        names = [] if batch.groups is None else batch.groups.tolist()
        ledger.meet(names)
        at = {name: number for number, name in enumerate(ledger.groups)}
        group = np.array([at[x] for x in names] or [0] * len(batch.y), np.int64)
        waiting = self._waiting
        first = int(waiting["unit"][-1]) + 1 if len(waiting) else ledger.units
        cases = _cases.cases_of(batch, group, first)
        self._ledger = ledger
        every = np.concatenate([waiting, cases]) if len(waiting) else cases
        self._count(every, batch.ids is not None)

    def _count(self, cases: Column, with_ids: bool = True) -> None:
        """Count the cases before the first open one."""
        end = _cases.settled(cases)
        ready, self._waiting = cases[:end], cases[end:].copy()
        if with_ids:
            self._register.count(ready)
        self._ledger.follow(ready)

    def drop(self, ids: ArrayLike) -> int:
        """Give up cases whose outcome will never be known, so that later ones need not wait.

        Evidence holds as long as outcomes are not missing because of what they are.

        Parameters
        ----------
        ids : array-like
            The names of the cases. Those that are not open are left as they are.

        Returns
        -------
        int
            How many cases were given up.
        """
        sought = np.isin(self._waiting["ids"], _cases.read_ids(ids))
        gone = sought & (self._waiting["y"] == _cases.OPEN)
        self._register.dropped = np.union1d(self._register.dropped, self._waiting["ids"][gone])
        self._count(_cases.without(self._waiting, gone))
        return int(gone.sum())

    @property
    def options(self) -> dict[str, Any]:
        """What it was made with, by the names of its parameters."""
        own = {"maps": self._maps, "pos_label": self._pos_label}
        every = self._ledger.plan._asdict() | own
        return {name: every[name] for name in OPTIONS}

    @property
    def cases(self) -> int:
        """How many cases are counted."""
        return self._ledger.cases

    @property
    def open(self) -> int:
        """How many forecasts have no outcome yet."""
        return int((self._waiting["y"] == _cases.OPEN).sum())

    @property
    def waiting(self) -> int:
        """How many cases have an outcome, and wait behind earlier ones that are open."""
        return len(self._waiting) - self.open

    @property
    def early(self) -> int:
        """How many outcomes have no forecast yet."""
        return len(self._register.early)

    @property
    def dropped(self) -> int:
        """How many cases were given up."""
        return len(self._register.dropped)

    @property
    def evidence(self) -> tuple[_claims.Evidence, ...]:
        """The evidence for each claim."""
        return tuple(map(self._ledger.evidence_of, self._ledger.tracks))

    @property
    def alarms(self) -> tuple[_claims.Alarm, ...]:
        """All alarms so far, in their order."""
        return tuple(self._ledger.alarms)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Write the state to a file, whole or not at all.

        Parameters
        ----------
        path : str or path
            The name of the file.
        overwrite : bool
            Whether to replace a file that is not the one that this monitor was read from or
            written to last. If not, two who add to one state cannot lose what the other added.

        Returns
        -------
        Path
            Where it was written.
        """
        with alone(path):
            return self._write(Path(path), overwrite=overwrite)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a state that `save` wrote. Nothing in it is run, and all of it is checked.

        Parameters
        ----------
        path : str or path
            The name of the file.

        Returns
        -------
        Monitor
        """
        content, checksum = STATES.read(path)
        self = STATES.made(content, printable(str(path)), cls._of, cls._content)
        self._checksum = checksum
        return self

    @classmethod
    def _of(cls, content: dict[str, Any]) -> Self:
        given = dict(content["options"])
        require(set(given) == set(OPTIONS))
        given["rule"] = parse_rule(given["rule"])
        maps = given["maps"]
        if maps is not None:
            given["maps"] = {name: map_of(x) for name, x in maps.items()}
        self = cls(**given)
        self._reading = _reading_from(content["reading"])
        self._register = _cases.Register.of(content, _claims.counts_from(content["counts"])[-1])
        models = tuple(content["models"])
        if not models:
            return self
        require(all(type(x) is str for x in models) and len(set(models)) == len(models))
        self._ledger = _claims.Ledger.of(content, self._plan(models))
        sizes = len(models), len(self._ledger.groups), self._ledger.units
        self._waiting = _cases.cases_from(content["waiting"], *sizes)
        self._require_agreement()
        return self

    def _require_agreement(self) -> None:
        """Refuse ids in two places, or of some cases only."""
        used = self._register
        early = np.array(list(used.early), np.uint64)
        counted = used.counted & ~_cases.LAST_BIT
        ids = np.concatenate([counted, used.dropped, self._waiting["ids"], early])
        require(len(np.unique(ids)) == len(ids))
        require(not len(ids) or (len(used.counted) == self.cases and not used.batches))

    def _content(self) -> dict[str, Any]:
        """Return all that a file holds."""
        rule, models = repr(self._ledger.plan.rule), self._ledger.plan.models
        if repr(parse_rule(rule)) != rule:
            message = f"only rules of properly.rules can be saved with a monitor; got {rule}"
            raise DataError(message)
        if isinstance(self._maps, Map) and not models:
            message = "a monitor with a map must be fed before it is saved"
            raise DataError(message, hint="write maps={'name': map, ...}.")
        maps = {name: x.to_dict() for name, x in self._maps_of(models).items()}
        options = self.options | {"rule": rule, "maps": None if self._maps is None else maps}
        state = self._ledger.stored(self._register.overlap) | self._register.stored()
        waiting = _cases.stored_cases(self._waiting)
        return {"options": options, "reading": self._reading, "waiting": waiting, **state}

    def _write(self, path: Path, *, overwrite: bool = False) -> Path:
        """Write the state; refuse to replace a file that is not the one this monitor knows."""
        text, checksum = STATES.written(self._content())
        require_writable(path, overwrite=True)
        shown, is_new = printable(str(path)), overwrite or not path.exists()
        if not is_new and self._checksum is None:
            message = f"{shown} exists already and is not overwritten"
            raise DataError(message, hint="read it by Monitor.load, or pass overwrite=True.")
        if not is_new and STATES.read(path)[1] != self._checksum:
            message = f"the state {shown} was written by another since it was read"
            raise DataError(message, hint="read it again by Monitor.load, and add once more.")
        result = write_whole(path, text)
        self._checksum = checksum
        return result

    def to_dict(self) -> dict[str, Any]:
        """Return counts, evidence and alarms as JSON can hold them."""
        plan = self._ledger.plan
        counts = ("cases", "open", "waiting", "early", "dropped")
        numbers = {name: getattr(self, name) for name in counts}
        numbers |= {name: getattr(plan, name) for name in ("level", "run_length", "lag")}
        numbers |= {"overlap": self._register.overlap, "against": plan.against}
        found = {"rule": plan.rule.name, "alarms": self.alarms, "evidence": self.evidence}
        return dict(plain(numbers | found))

    def to_frame(self, backend: Backend | None = None) -> Any:
        """Return the evidence, a row each, as a polars, pandas or pyarrow frame."""
        return to_frame(self._columns(), backend)

    def _columns(self) -> dict[str, list[Any]]:
        names = ("model", "about", "group", "cases", "events", "mean_forecast", "event_rate")
        numbers = ("evidence", "threshold", "log_evidence", "log_greatest", "log_threshold")
        every = self.evidence
        return {name: [getattr(x, name) for x in every] for name in (*names, *numbers)}

    def __repr__(self) -> str:
        alarms = many(len(self.alarms), "alarm")
        return f"Monitor({many(self.cases, 'case')}, {many(self.open, 'open forecast')}, {alarms})"

    def __str__(self) -> str:
        """Say what was found."""
        return "\n".join(map(wrapped, self._sentences()))

    def _sentences(self) -> list[str]:
        """Say how much was seen, then alarms, or how far off one is."""
        said, alarms = [self._counts()], self.alarms
        if not self.cases:
            return said
        if alarms:
            found = self._ledger.evidence_of(_claims.claim_of(alarms[-1]))
            said += [f"{many(len(alarms), 'alarm')} so far; the last three:"] * (len(alarms) > 3)
            said += [str(x) for x in alarms[-3:]]
            said.append(f"In all {many(found.cases, 'case')} of it: {found.rates}.")
        else:
            top = max(self.evidence, key=lambda x: x.log_greatest - x.log_threshold)
            most = f"{_claims.exp(top.log_greatest):.4g}, that {top.claim}"
            more = f"{top.threshold:.4g} would be an alarm."
            said.append(f"No alarm. The most evidence so far is {most}; {more}")
        return [*said, self._promise()]

    def _promise(self) -> str:
        """Say how rare false alarms are, and on which condition."""
        plan, overlap = self._ledger.plan, self._register.overlap
        rare = f"The probability of a false alarm, ever, is at most {100 * (1 - plan.level):.3g} %"
        if plan.run_length is not None:
            rare = f"False alarms are {plan.run_length:,g} cases or more apart on average"
        if overlap > plan.lag:
            return (
                f"Outcomes came after up to {many(overlap, 'later forecast')}. {rare} if those "
                "forecasts would have been the same had the outcomes been known, as with "
                f"independent cases; otherwise it takes a new state with a lag of {overlap}."
            )
        but = f" except the last {plan.lag}".removesuffix(" 1") if plan.lag else ""
        return f"{rare} if each forecast is right given the outcomes of all earlier cases{but}."

    def _counts(self) -> str:
        """Say how many cases there are, and what became of the others."""
        kinds = [
            (self.open, "forecast", "has no outcome yet", "have no outcome yet"),
            (self.waiting, "case", "waits behind them", "wait behind them"),
            (self.dropped, "case", "given up", "given up"),
            (self.early, "outcome", "without a forecast yet", "without a forecast yet"),
        ]
        more = (f"; {many(k, what)} {one if k == 1 else all_}" for k, what, one, all_ in kinds if k)
        verb = "is" if self.cases == 1 else "are"
        return f"{many(self.cases, 'case')} {verb} counted{''.join(more)}."


def _reading_from(given: dict[str, Any] | None) -> dict[str, Any] | None:
    """Read which columns of files the command line reads."""
    if given is not None:
        require(set(given) == {*READ, "forecast", "percent"} and type(given["percent"]) is bool)
        require(all(given[name] is None or type(given[name]) is str for name in READ))
        require(type(given["forecast"]) is list and all(type(x) is str for x in given["forecast"]))
    return given


def _as_against(against: Any) -> str | float | None:
    """Take the name of a model, or a constant forecast."""
    if against is None or isinstance(against, str):
        return against
    number = as_number(against, "constant forecast")
    if not 0 <= number <= 1:
        message = f"against must be a model or a probability in [0, 1]; got {number:g}"
        raise DataError(message)
    return number


def _as_maps(maps: Any) -> Map | dict[str, Map] | None:
    """Take a map, or maps by model, which must be fitted and of an event."""
    if maps is None:
        return None
    every = list(maps.values()) if isinstance(maps, Mapping) else [maps]
    for one in every:
        if not isinstance(one, Map):
            message = f"maps must be maps of properly.recalibration; got {type(one).__name__}"
            raise ArgumentTypeError(message, hint="recalibration.load reads a file.")
        if not one.is_fitted or one.of != "event" or one.needs_groups:
            message = f"a monitor takes fitted maps of an event, not by group; got {one!r}"
            raise DataError(message, hint="watch the column of recalibrated forecasts.")
    return {str(name): x for name, x in maps.items()} if isinstance(maps, Mapping) else maps


def _as_run_length(run_length: Any) -> float | None:
    if run_length is None:
        return None
    number = as_number(run_length, "run_length")
    if not 1 <= number < np.inf:
        message = f"run_length must be a number of cases, 1 or more; got {number:g}"
        raise DataError(message)
    return number


def _as_lag(lag: Any) -> int:
    """Return the number of open cases before a case."""
    number = lag if isinstance(lag, int | np.integer) and not isinstance(lag, bool) else -1
    if not 0 <= number <= MOST_LAG:
        message = f"lag must be a whole number of cases from 0 to {MOST_LAG:,}; got {lag!r}"
        raise DataError(message)
    return int(number)


def _as_label(label: Any) -> Any:
    """Take a label that a file can hold."""
    label = label.item() if isinstance(label, np.generic) else label
    endless = isinstance(label, float) and not np.isfinite(label)
    if endless or not isinstance(label, str | int | float | None):
        message = f"pos_label must be text, a number or a truth value; got {quoted(label)}"
        raise ArgumentTypeError(message)
    return label
