"""A small convolutional network for windows of a series, in PyTorch."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from properly._boundary._notices import import_extra

if TYPE_CHECKING:
    from collections.abc import Iterator

    from properly.typing import Column

# The batches are too small for several threads to pay, and with one the numbers are the same
# wherever there are more.
THREADS = 1


class Recipe(NamedTuple):
    """How a network is built and trained.

    Attributes
    ----------
    epochs, batch : int
        Passes through the training windows, and windows of a step.
    learning_rate : float
        That of Nadam, as in the authors' notebook.
    width : int
        Channels of the first two convolutions; the third has twice as many.
    dropout : float
        Share of the features that are left out at each step of training.
    """

    epochs: int = 40
    batch: int = 64
    learning_rate: float = 0.001
    width: int = 24
    dropout: float = 0.3


class Learner:
    """A fresh network and the windows that it learns from, one epoch after the other.

    Parameters
    ----------
    x, y : array
        Windows of shape (windows, channels, moments), and their classes from 0.
    classes : int
        How many classes there are.
    recipe : Recipe
        How to build and train it.

    Notes
    -----
    Three convolutions, each with batch normalization: the first one takes every second moment, and
    pooling halves their number after the first two. What the third finds is averaged over quarters
    of the window, and a linear layer makes logits of it. The loss is the cross-entropy.
    """

    def __init__(self, x: Column, y: Column, classes: int, recipe: Recipe) -> None:
        self._torch = torch = import_torch()
        self._recipe = recipe
        self._x = torch.as_tensor(x, dtype=torch.float32)
        self._y = torch.tensor(y, dtype=torch.int64)
        self._network = _build(torch.nn, x.shape[1], classes, recipe)
        self._optimizer = torch.optim.NAdam(
            self._network.parameters(), lr=recipe.learning_rate, betas=(0.9, 0.999)
        )
        self._loss = torch.nn.CrossEntropyLoss()

    def learn(self) -> None:
        """Go through all training windows once, in a new order."""
        self._network.train()
        for rows in self._torch.randperm(len(self._x)).split(self._recipe.batch):
            self._optimizer.zero_grad()
            self._loss(self._network(self._x[rows]), self._y[rows]).backward()
            self._optimizer.step()

    def logits(self, x: Column) -> Column:
        """Return the logits of other windows, as doubles."""
        torch = self._torch
        self._network.eval()
        with torch.no_grad():
            found = self._network(torch.as_tensor(x, dtype=torch.float32))
        as_doubles: Column = found.numpy().astype(np.float64)
        return as_doubles

    def state(self) -> dict[str, Any]:
        """Copy the weights, and what batch normalization has gathered."""
        return {name: value.clone() for name, value in self._network.state_dict().items()}

    def restore(self, state: dict[str, Any]) -> None:
        """Put such a copy back."""
        self._network.load_state_dict(state)


def import_torch() -> Any:
    """Import torch, or say how to install it."""
    return import_extra("torch", extra="torch")


@contextmanager
def seeded(seed: int) -> Iterator[None]:
    """Seed torch and take one thread; leave it as it was."""
    torch = import_torch()
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        torch.set_num_threads(THREADS)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


def _build(nn: Any, channels: int, classes: int, recipe: Recipe) -> Any:
    width = recipe.width
    return nn.Sequential(
        *_convolution(nn, channels, width, 5, stride=2),
        nn.MaxPool1d(2),
        *_convolution(nn, width, width, 5),
        nn.MaxPool1d(2),
        *_convolution(nn, width, 2 * width, 3),
        nn.AdaptiveAvgPool1d(4),
        nn.Flatten(),
        nn.Dropout(recipe.dropout),
        nn.Linear(8 * width, classes),
    )


def _convolution(nn: Any, taken: int, given: int, moments: int, stride: int = 1) -> tuple[Any, ...]:
    padding = moments // 2
    convolution = nn.Conv1d(taken, given, moments, stride=stride, padding=padding)
    return convolution, nn.BatchNorm1d(given), nn.ReLU()
