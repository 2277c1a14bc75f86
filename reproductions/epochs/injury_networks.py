"""Models of the severity of injuries, trained with the score of one's choice."""

from __future__ import annotations

from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np

from properly._boundary._notices import import_extra
from properly.comparison import BestEpoch
from properly.rules import RPS
from reproductions.epochs.data import GRADES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from properly.rules import ClassRule
    from properly.typing import Column
    from reproductions.epochs.data import Survey

    Layers: TypeAlias = list[tuple[Any, Any]]


# By what the epoch and the step size are chosen.
OWN, COMMON = "its own loss", "RPS"


class Learner(NamedTuple):
    """A model to train.

    Attributes
    ----------
    name : str
        What it is called.
    hidden : int
        Units of its hidden layer; 0 for none, which makes it linear.
    share : float
        Which share of the accidents it is trained on; the seed says which of them.
    batch : int
        Persons a step.
    epochs : int
        How often all persons are gone through, at most.
    rates : tuple of float
        Step sizes of Adam to choose from.
    """

    name: str
    hidden: int
    share: float
    batch: int
    epochs: int
    rates: tuple[float, ...]


LEARNERS = (
    Learner("linear model", 0, 1.0, 512, 30, (0.01, 0.02)),
    Learner("network", 32, 1.0, 512, 30, (0.001, 0.003)),
    Learner("network, a tenth", 32, 0.1, 64, 30, (0.003, 0.01)),
)


class Chosen(NamedTuple):
    """The best epoch of the best step size, and what the model then says about the test years."""

    value: float
    rate: float
    epoch: int
    forecast: Column


class Lesson(NamedTuple):
    """What to learn from and be chosen on, with a model for each seed.

    All seeds are trained side by side, each on rows of its own and without touching the others.
    """

    torch: Any
    learner: Learner
    rule: ClassRule
    seeds: Sequence[int]
    rows: list[Column]
    train: tuple[Any, Any]
    choice: tuple[Any, Column]
    test: Any

    @property
    def steps(self) -> int:
        """Whole batches an epoch; who is left over waits for the next."""
        return min(len(rows) for rows in self.rows) // self.learner.batch


def train(
    learner: Learner, rule: ClassRule, survey: Survey, seeds: Sequence[int]
) -> dict[str, list[Chosen]]:
    """Train with one loss, and choose the epoch and the step size on the year after, by seed.

    Each seed settles the persons, the first weights and the order, which all losses share.
    """
    torch = import_extra("torch", extra="torch")
    people, choice, test = survey
    lesson = Lesson(
        *(torch, learner, rule, seeds),
        [sampled(people.accident, learner.share, seed) for seed in seeds],
        (torch.from_numpy(people.indicators), torch.from_numpy(people.severity)),
        (torch.from_numpy(choice.indicators), choice.severity),
        torch.from_numpy(test.indicators),
    )
    with one_thread(torch):
        runs = [best_epochs(lesson, rate) for rate in learner.rates]
    return {
        by: [min(tried, key=lambda run: run.value) for tried in zip(*found, strict=True)]
        for by, found in ((by, [run[by] for run in runs]) for by in (OWN, COMMON))
    }


def best_epochs(lesson: Lesson, rate: float) -> dict[str, list[Chosen]]:
    """Train with one step size, and keep the best epoch of each seed."""
    torch, seeds = lesson.torch, lesson.seeds
    layers = first_weights(lesson)
    step = torch.optim.Adam([x for layer in layers for x in layer], lr=rate)
    orders = [np.random.default_rng([seed, 1]) for seed in seeds]
    judges = {OWN: lesson.rule, COMMON: RPS()}
    best = {by: [BestEpoch() for _ in seeds] for by in judges}
    x, y = lesson.choice
    for epoch in range(1, lesson.learner.epochs + 1):
        learn(lesson, layers, step, orders)
        for k, p in enumerate(forecast(torch, layers, x)):
            told = partial(_alone, torch, layers, k, lesson.test)
            for by, judge in judges.items():
                best[by][k].update(epoch, float(judge(y, p)), state=told)
    return {by: [_chosen(kept, rate) for kept in found] for by, found in best.items()}


def learn(lesson: Lesson, layers: Layers, step: Any, orders: list[np.random.Generator]) -> None:
    """Go through the persons once, in an order of its own for each seed."""
    from properly.integrations.torch import RuleLoss

    torch, batch, (x, y) = lesson.torch, lesson.learner.batch, lesson.train
    loss = RuleLoss(lesson.rule, from_logits=True)
    length = lesson.steps * batch
    drawn = [order.permutation(r)[:length] for order, r in zip(orders, lesson.rows, strict=True)]
    for rows in torch.from_numpy(np.stack(drawn)).split(batch, dim=1):
        step.zero_grad()
        logits = network(torch, layers, x[rows])
        # The sum over seeds of their means, so that none depends on how many there are.
        found = len(drawn) * loss(logits.flatten(0, 1), y[rows].flatten())
        found.backward()
        step.step()


def network(torch: Any, layers: Layers, x: Any) -> Any:
    """Return the logits of every seed, with rectified linear units between layers."""
    for k, (weight, bias) in enumerate(layers):
        x = (torch.relu(x) if k else x) @ weight + bias
    return x


def forecast(torch: Any, layers: Layers, x: Any) -> Column:
    """Return the probabilities of the classes, one table a seed."""
    with torch.no_grad():
        found: Column = torch.softmax(network(torch, layers, x), dim=-1).numpy()
    return found


def first_weights(lesson: Lesson) -> Layers:
    """Draw weights between plus and minus one over the root of the inputs, as torch does."""
    hidden = lesson.learner.hidden
    inner = (hidden,) if hidden else ()
    sizes = (lesson.train[0].shape[1], *inner, len(GRADES))
    draws = [np.random.default_rng([seed, 0]) for seed in lesson.seeds]
    layers = []
    for inputs, outputs in pairwise(sizes):
        bound = inputs**-0.5
        drawn = np.stack([rng.uniform(-bound, bound, (inputs + 1, outputs)) for rng in draws])
        parts = drawn[:, :-1], drawn[:, -1:]
        weight, bias = (lesson.torch.from_numpy(part.copy()).requires_grad_() for part in parts)
        layers.append((weight, bias))
    return layers


def sampled(accident: Column, share: float, seed: int) -> Column:
    """Draw a share of the accidents, and return the rows of all persons in them."""
    accidents = np.unique(accident)
    count = round(share * len(accidents))
    taken = np.random.default_rng([seed, 2]).choice(accidents, count, replace=False)
    return np.flatnonzero(np.isin(accident, taken))


@contextmanager
def one_thread(torch: Any) -> Iterator[None]:
    """Let no sum depend on the number of cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _alone(torch: Any, layers: Layers, k: int, x: Any) -> Column:
    """Return the probabilities of one seed."""
    own = [(weight[k], bias[k]) for weight, bias in layers]
    return forecast(torch, own, x)


def _chosen(kept: Any, rate: float) -> Chosen:
    return Chosen(kept.value, rate, kept.epoch, kept.state)
