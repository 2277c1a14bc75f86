"""Sums over batches: kept, added up over processes, and split off for a single batch.

Where torchmetrics is installed its `Metric` does this; `Accumulator` has the same contract, for
states that add.
"""

from __future__ import annotations

import functools
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import torch
from torch import distributed

from properly.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from properly.typing import Array

# Kinds of devices that have no double precision.
SINGLE = ("mps",)


class Accumulator(torch.nn.Module):  # type: ignore[misc]
    """What a metric of torchmetrics does with states that add, without torchmetrics.

    A subclass adds its states in its constructor, and writes ``update`` and ``compute``. States are
    no buffers, since those are overwritten by the first process whenever a model is run in several.

    Parameters
    ----------
    process_group : ProcessGroup, optional
        The processes to add up over, all of them unless said otherwise.
    sync_on_compute : bool
        Whether to add up over processes at all.
    """

    def __init__(self, *, process_group: Any = None, sync_on_compute: bool = True) -> None:
        super().__init__()
        self.process_group = process_group
        self.sync_on_compute = sync_on_compute
        self._to_sync = sync_on_compute
        self._is_synced = False
        self._update_count = 0
        self._defaults: dict[str, Array] = {}
        self._persistent: dict[str, bool] = {}
        self._device = torch.empty(0).device

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "update" in cls.__dict__:
            cls.update = _counted(cls.update)
        if "compute" in cls.__dict__:
            cls.compute = _over_processes(cls.compute)

    @property
    def device(self) -> Any:
        """Where the states are."""
        return self._device

    @property
    def update_count(self) -> int:
        """How many batches there were."""
        return self._update_count

    @property
    def metric_state(self) -> dict[str, Array]:
        """The states by name."""
        return {name: getattr(self, name) for name in self._defaults}

    def add_state(
        self,
        name: str,
        default: Array,
        dist_reduce_fx: str = "sum",  # noqa: ARG002
        persistent: bool = False,
    ) -> None:
        """Add a tensor that begins as the default, and is added up over batches and processes."""
        self._defaults[name] = default.clone()
        self._persistent[name] = persistent
        setattr(self, name, default)

    def reset(self) -> None:
        """Begin anew."""
        self._update_count = 0
        for name, default in self._defaults.items():
            setattr(self, name, default.clone().to(self._device))

    @contextmanager
    def sync_context(self, *, should_sync: bool = True, **_: Any) -> Iterator[None]:
        """Hold the sums over all processes; before and after, each has its own."""
        running = distributed.is_available() and distributed.is_initialized()
        if self._is_synced or not (should_sync and running):
            yield
            return
        own = self.metric_state
        try:
            self._is_synced = True
            for name, state in own.items():
                total = state.clone()
                distributed.all_reduce(total, group=self.process_group)
                setattr(self, name, total)
            yield
        finally:
            self._is_synced = False
            for name, state in own.items():
                setattr(self, name, state)

    def persistent(self, mode: bool = False) -> None:
        """Say whether states belong to the ``state_dict``."""
        self._persistent = dict.fromkeys(self._persistent, mode)

    def _apply(self, fn: Callable[[Array], Array], *_: Any, **__: Any) -> Any:
        super()._apply(fn)
        self._device = fn(torch.empty(0, device=self._device)).device
        return self

    def _save_to_state_dict(
        self, destination: dict[str, Any], prefix: str, keep_vars: bool
    ) -> None:
        super()._save_to_state_dict(destination, prefix, keep_vars)
        for name, kept in self._persistent.items():
            if kept:
                destination[prefix + name] = getattr(self, name).clone()

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
        for name in self._defaults:
            if prefix + name in state_dict:
                setattr(self, name, state_dict.pop(prefix + name).to(self._device))
        super()._load_from_state_dict(state_dict, prefix, *args)


def _counted(update: Callable[..., None]) -> Callable[..., None]:
    @functools.wraps(update)
    def counted(self: Accumulator, *args: Any, **kwargs: Any) -> None:
        self._update_count += 1
        with torch.no_grad():
            update(self, *args, **kwargs)

    return counted


def _over_processes(compute: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(compute)
    def computed(self: Accumulator) -> Any:
        with self.sync_context(should_sync=self._to_sync):
            return compute(self)

    return computed


def _keeper() -> Any:
    """Return the metric of torchmetrics if that is installed, else our own."""
    try:
        return import_module("torchmetrics").Metric
    except ImportError:
        return Accumulator


class RunningSums(_keeper()):  # type: ignore[misc]
    """States that add, in double precision, whichever of the two keeps them.

    A subclass adds its states in its constructor, says in `identity` what makes them comparable,
    and writes ``update`` and ``compute``.
    """

    is_differentiable: ClassVar[bool] = False
    higher_is_better: ClassVar[bool] = False
    full_state_update: ClassVar[bool] = False

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._before = 0

    @property
    def identity(self) -> str:
        """What two metrics must have in common if their states are to be added."""
        return type(self).__name__

    @property
    def number(self) -> int:
        """How many batches there were before the one that is being added."""
        return int(self._before + self._update_count - 1)

    def add_sums(self, name: str, *shape: int) -> None:
        """Add a state of zeros, in double precision where the device has it."""
        zeros = torch.zeros(shape, dtype=precision_on(self.device), device=self.device)
        self.add_state(name, zeros, dist_reduce_fx="sum")

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Add a batch, and return what the metric is for this batch alone.

        If the batch is refused, what was added before is still there.
        """
        before, count = self.metric_state, self._update_count
        self.reset()
        self._before = count
        self._to_sync = getattr(self, "dist_sync_on_step", False)
        try:
            self.update(*args, **kwargs)
            self._forward_cache = self.compute()
        finally:
            self._before = 0
            self._to_sync = self.sync_on_compute
            self._add(before, count)
        return self._forward_cache

    def merge_state(self, incoming_state: RunningSums | Mapping[str, Array]) -> None:
        """Add the sums of another metric of the same kind, such as one of other batches.

        Parameters
        ----------
        incoming_state : metric or dict of tensors
            A metric with the same rule and the same arguments, or its ``metric_state``.
        """
        if isinstance(incoming_state, RunningSums):
            if incoming_state.identity != self.identity:
                message = (
                    f"metrics are merged if they are alike; got {self.identity} and "
                    f"{incoming_state.identity}"
                )
                raise DataError(message)
            self._add(incoming_state.metric_state, incoming_state.update_count)
            return
        missing = [name for name in self._defaults if name not in incoming_state]
        if missing:
            message = f"a state to be merged must have all sums of the metric; it lacks {missing!r}"
            raise DataError(message, hint="metric.metric_state has them.")
        self._add(incoming_state, 1)

    def _add(self, states: Mapping[str, Array], count: int) -> None:
        for name in self._defaults:
            own = getattr(self, name)
            setattr(self, name, own + states[name].to(own))
        self._update_count += count
        self._computed = None

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *args: Any) -> None:
        # What was added up before it was saved counts as one batch.
        loaded = any(prefix + name in state_dict for name in self._defaults)
        super()._load_from_state_dict(state_dict, prefix, *args)
        self._update_count += loaded
        self._computed = None

    def _apply(self, fn: Callable[[Array], Array], *args: Any, **kwargs: Any) -> Any:
        """Move the states to where the module goes; they are never rounded to its type."""
        super()._apply(fn, *args, **{**kwargs, "exclude_state": tuple(self._defaults)})
        place = {"device": self.device, "dtype": precision_on(self.device)}
        for name, default in self._defaults.items():
            self._defaults[name] = default.to(**place)
            setattr(self, name, getattr(self, name).to(**place))
        # Nor is what was computed from them, which torchmetrics keeps and converts.
        self._computed = None
        return self


def precision_on(device: Any) -> Any:
    """Return double precision, or single precision for a device that has no other."""
    return torch.float32 if device.type in SINGLE else torch.float64
