"""Optimisers that touch only the rows that have a gradient.

`RowSGD`, `RowAdagrad` and `RowAdam` compute what `torch.optim.SGD`, `Adagrad` and `SparseAdam` compute
of sparse gradients, without waiting for the device, so that a CUDA graph can record a step. A
parameter's gradient may be

- `parameter.row_gradients`, pairs (rows, values) as a layer with `row_gradients=True` leaves them: one
  pair for each backward pass, which add up; a row may be there twice, and one of -1 is an unused place;
- `parameter.grad`, sparse (COO, over the first dimension) or dense. A dense one is applied as
  `torch.optim.SGD`, `Adagrad` and `Adam` do.

Both add up where a parameter has both. Rows without a gradient keep their weights and their moments:
no decay reaches them. There is no momentum for SGD, since a row that is not touched would have to move
on by it. With `process_group`, the rows of tables that `cane.torch.data_parallel` has found are averaged
over its ranks first.
"""

import math

import torch
from torch import Tensor

from cane.torch._selection import random_words
from cane.torch.distributed import gather_rows

__all__ = ["RowAdagrad", "RowAdam", "RowSGD"]


class _Distinct:
    """The distinct rows among `rows` [R], in tables of R places, so that nothing waits to know how many
    there are: a place without a row names any one."""

    def __init__(self, rows: Tensor, classes: int) -> None:
        ordered, order = rows.sort()
        is_first = torch.ones_like(ordered)
        is_first[1:] = (ordered[1:] != ordered[:-1]).long()
        segment = is_first.cumsum(0) - 1
        # Rows of -1 come first, in a place that is not used either.
        names = torch.full_like(rows, -1).scatter_(0, segment, ordered)
        places = torch.arange(len(rows), device=rows.device)
        self.place_of = torch.empty_like(rows).scatter_(0, order, segment)
        self.is_used = names >= 0
        self.names = torch.where(self.is_used, names, places % classes)
        self.last = segment[-1]


class _Rows:
    """A gradient of rows: the sums of the values of each, and zeros in places that are not used."""

    def __init__(self, distinct: _Distinct, values: Tensor) -> None:
        self.names, self.is_used, self.last = distinct.names, distinct.is_used, distinct.last
        self.sums = torch.zeros_like(values).index_add_(0, distinct.place_of, values)
        self.sums[0] = self.sums[0].masked_fill(~self.is_used[0], 0.0)

    def of(self, table: Tensor) -> Tensor:
        return table[self.names].float()

    def add(self, table: Tensor, change: Tensor, step: Tensor) -> None:
        if table.dtype == torch.float32:
            table.index_add_(0, self.names, change)
            return
        # What is written is not added: unused places write the last row as it is written anyway.
        places = torch.arange(len(self.names), device=change.device)
        places = torch.where(self.is_used, places, self.last)
        names = self.names[places]
        new = _rounded_at_random(self.of(table) + change, self.names, step)
        table.index_copy_(0, names, new[places])


class _Whole:
    """The same of a dense gradient."""

    def __init__(self, gradient: Tensor) -> None:
        self.sums = gradient.float()
        self.is_used = torch.ones(self.sums.shape[:1], dtype=torch.bool, device=gradient.device)

    def of(self, table: Tensor) -> Tensor:
        return table.float()

    def add(self, table: Tensor, change: Tensor, step: Tensor) -> None:
        if table.dtype == torch.float32:
            table.add_(change)
        else:
            table.copy_(_rounded_at_random(table.float() + change, None, step))


def _rounded_at_random(values: Tensor, rows: Tensor | None, step: Tensor) -> Tensor:
    """Values in bfloat16, up or down in proportion to the distances: most updates are smaller than
    half the distance between two such numbers. The random bits are those of place and step."""
    width = values[0].numel() if values.dim() > 0 else 1
    place = torch.arange(values.shape[0] if values.dim() > 0 else 1, device=values.device)
    place = place if rows is None else rows
    place = (place.unsqueeze(1) * width + torch.arange(width, device=values.device)).flatten()
    bits = random_words(0, step, place).view(values.shape).bitwise_and(0xFFFF).int()
    raw = values.contiguous().view(torch.int32)
    up = (raw + bits).bitwise_and(-65536).view(torch.float32)
    return torch.where(values.isfinite(), up, values).to(torch.bfloat16)


class _RowOptimizer(torch.optim.Optimizer):
    """What the rules share; `_moments` are the names of what a rule keeps for each weight."""

    _moments: tuple[str, ...] = ()
    _process_group = None

    def __init__(self, params, defaults, process_group=None):
        self._process_group = process_group
        _check_number("lr", defaults["lr"])
        _check_number("weight_decay", defaults["weight_decay"])
        super().__init__(params, defaults)

    @torch.no_grad()
    def step(self, closure=None):
        """One step; returns the loss of `closure` where there is one."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        self._distinct = {}
        for place, group in enumerate(self.param_groups):
            for parameter in group["params"]:
                self._update(place, group, parameter)
        self._distinct = {}
        return loss

    def zero_grad(self, set_to_none=True):
        """Forgets the gradients, those in `row_gradients` included."""
        super().zero_grad(set_to_none=set_to_none)
        for group in self.param_groups:
            for parameter in group["params"]:
                if getattr(parameter, "row_gradients", None):
                    parameter.row_gradients.clear()

    def load_state_dict(self, state_dict):
        """Takes what `state_dict()` gave. Moments stay float32 where the weights are bfloat16."""
        super().load_state_dict(state_dict)
        numbers = [number for group in state_dict["param_groups"] for number in group["params"]]
        parameters = [p for group in self.param_groups for p in group["params"]]
        for number, parameter in zip(numbers, parameters, strict=True):
            saved = state_dict["state"].get(number, {})
            for name in ("step", *self._moments):
                if name in saved:
                    kind = torch.int64 if name == "step" else torch.float32
                    value = torch.as_tensor(saved[name]).detach()
                    self.state[parameter][name] = value.to(parameter.device, kind, copy=True)

    def _first_moment_value(self, group):
        """What the moments begin with."""
        return 0.0

    def _state_of(self, group, parameter):
        state = self.state[parameter]
        if not state:
            state["step"] = torch.zeros((), dtype=torch.int64, device=parameter.device)
            for name in self._moments:
                value = self._first_moment_value(group)
                state[name] = torch.full_like(parameter, value, dtype=torch.float32)
        return state

    def _rate_of(self, place, group, device):
        """The rate on the device. A tensor on it is used itself, so that a CUDA graph sees what a
        scheduler writes into it; a number is copied when it has changed."""
        rate = group["lr"]
        if torch.is_tensor(rate):
            return rate.detach().to(device, torch.float32)
        kept = self.__dict__.setdefault("_rates", {})
        number, tensor = kept.get((place, device), (None, None))
        if number != rate:
            tensor = torch.full((), float(rate), dtype=torch.float32, device=device)
            kept[place, device] = (rate, tensor)
        return tensor

    def _update(self, place, group, parameter):
        gradient = parameter.grad
        dense = gradient if gradient is not None and not gradient.is_sparse else None
        by_rows = _row_gradient(parameter)
        if getattr(parameter, "gathers_rows", False):
            if self._process_group is None:
                raise RuntimeError(
                    "data_parallel has left a table to its optimiser, which needs process_group to "
                    "average the rows over the ranks"
                )
            if dense is not None:
                raise RuntimeError(
                    "a table whose rows are gathered over ranks has a dense gradient, "
                    "which nothing has averaged; use sparse gradients"
                )
            rows, values = by_rows or (None, None)
            by_rows = gather_rows(parameter, rows, values, self._process_group)
        if by_rows is None and dense is None:
            return
        if by_rows is not None and dense is not None:
            rows, values = by_rows
            _check_rows(parameter, rows, values)
            values = values.float().masked_fill(_beside(rows < 0, values), 0.0)
            dense = dense.float().index_add(0, rows.clamp_min(0), values)
            by_rows = None
        if by_rows is not None:
            rows, values = by_rows
            _check_rows(parameter, rows, values)
            if len(rows) == 0:
                return
            values = values.float().reshape(len(rows), *parameter.shape[1:])
            # A weight and its bias have the same rows.
            key = id(rows), parameter.shape[0]
            if key not in self._distinct:
                self._distinct[key] = rows, _Distinct(rows, parameter.shape[0])
            gradient = _Rows(self._distinct[key][1], values)
        else:
            gradient = _Whole(dense)
        state = self._state_of(group, parameter)
        step = state["step"].add_(1)
        if group["weight_decay"]:
            decay = group["weight_decay"] * gradient.of(parameter)
            gradient.sums = gradient.sums + decay * _beside(gradient.is_used, decay)
        moments = [state[name] for name in self._moments]
        change = self._change(group, gradient, moments, step)
        change = change.mul_(-self._rate_of(place, group, parameter.device))
        gradient.add(parameter, change, step)

    def _change(self, group, gradient, moments, step):
        """What the rate is multiplied with; changes the moments."""
        raise NotImplementedError


def _beside(flags, values):
    """Flags of rows, as they are multiplied with values."""
    return flags.view(-1, *[1] * (values.dim() - 1)) if values.dim() > 0 else flags


class RowSGD(_RowOptimizer):
    """Stochastic gradient descent: `weight -= lr * gradient`.

    `weight_decay` adds that part of the weight to the gradient of a row that is touched."""

    def __init__(self, params, lr=1e-3, weight_decay=0.0, process_group=None):
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay}, process_group)

    def _change(self, group, gradient, moments, step):
        return gradient.sums.clone()


class RowAdagrad(_RowOptimizer):
    """AdaGrad: each weight has a rate of its own, `lr / (root of the sum of squared gradients + eps)`.

    What a row that is not touched misses is nothing: this is AdaGrad of the whole table."""

    _moments = ("sum",)

    def __init__(
        self,
        params,
        lr=1e-2,
        weight_decay=0.0,
        initial_accumulator_value=0.0,
        eps=1e-10,
        process_group=None,
    ):
        _check_number("initial_accumulator_value", initial_accumulator_value)
        _check_number("eps", eps)
        super().__init__(
            params,
            {
                "lr": lr,
                "weight_decay": weight_decay,
                "eps": eps,
                "initial_accumulator_value": initial_accumulator_value,
            },
            process_group,
        )

    def _first_moment_value(self, group):
        return group["initial_accumulator_value"]

    def _change(self, group, gradient, moments, step):
        gradient.add(moments[0], gradient.sums * gradient.sums, step)
        return gradient.sums / gradient.of(moments[0]).sqrt().add_(max(group["eps"], 1e-38))


class RowAdam(_RowOptimizer):
    """Adam with lazy rows, as `torch.optim.SparseAdam`: the moments of a row change when it is touched,
    their bias is that of all steps."""

    _moments = ("exp_avg", "exp_avg_sq")

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, process_group=None
    ):
        _check_number("eps", eps)
        for beta in betas:
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"betas={betas}: each must be at least 0 and below 1")
        super().__init__(
            params,
            {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay},
            process_group,
        )

    def _change(self, group, gradient, moments, step):
        new, unbiased = [], []
        for decay, table, power in zip(group["betas"], moments, (1, 2)):
            old = gradient.of(table)
            used = _beside(gradient.is_used, old)
            change = (gradient.sums**power - old) * ((1 - decay) * used.float())
            new.append(old + change)
            gradient.add(table, change, step)
            unbiased.append(1 - torch.pow(decay, step.float()))
        # SparseAdam adds eps before the bias of the moments is taken out, Adam after.
        first, root, eps = new[0] / unbiased[0], new[1].sqrt_(), group["eps"]
        if isinstance(gradient, _Rows):
            return first.div_(root.add_(eps)).mul_(used.float() * unbiased[1].sqrt())
        return first.div_(root.div_(unbiased[1].sqrt()).add_(eps))


def _check_rows(table, rows, values):
    if rows.dim() != 1 or len(rows) != len(values):
        raise RuntimeError("row gradients: rows must be int64, one for each row of values")
    if values[:1].numel() != table[:1].numel() * min(1, len(values)):
        raise RuntimeError("row gradients: rows of values are not as wide as those of the table")
    if rows.device.type == "cpu":  # elsewhere this would wait for the device
        wrong = rows[(rows < -1) | (rows >= table.shape[0])]
        if len(wrong) > 0:
            raise RuntimeError(
                f"row gradients: row {int(wrong[0])} is not one of the table's {table.shape[0]}"
            )


def _check_number(name, value):
    if torch.is_tensor(value):
        return  # reading it would wait for its device
    if not (math.isfinite(value) and value >= 0.0):
        raise ValueError(f"{name}={value}: it must be a number of at least 0")


def _row_gradient(parameter):
    """What a parameter has of gradients by rows, as (rows, values); a row may be there twice."""
    parts = list(getattr(parameter, "row_gradients", None) or [])
    gradient = parameter.grad
    if gradient is not None and gradient.is_sparse:
        if gradient.sparse_dim() != 1:
            raise RuntimeError(
                "a row optimiser takes sparse gradients over the first dimension; this "
                f"one has {gradient.sparse_dim()} sparse dimensions"
            )
        parts.append((gradient._indices()[0], gradient._values()))
    if len(parts) < 2:
        return parts[0] if parts else None
    return torch.cat([rows for rows, _ in parts]), torch.cat([values for _, values in parts])
