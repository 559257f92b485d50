"""Optimisers that touch only the rows that have a gradient.

`RowSGD`, `RowAdagrad` and `RowAdam` compute what `torch.optim.SGD`, `Adagrad` and `SparseAdam` compute
of sparse gradients, in one pass over the used rows. A parameter's gradient may be

- `parameter.row_gradients`, pairs (rows, values) as a layer with `row_gradients=True` leaves them: one
  pair for each backward pass, which add up; a row of -1 is an unused place;
- `parameter.grad`, sparse (COO, over the first dimension) or dense. A dense one is applied as
  `torch.optim.SGD`, `Adagrad` and `Adam` do.

Both add up where a parameter has both. Rows without a gradient keep their weights and their moments:
no decay reaches them. There is no momentum for SGD, since a row that is not touched would have to move
on by it. With `process_group`, the rows of tables that `cane.torch.data_parallel` has found are averaged
over its ranks first.
"""

import math

import torch

from cane.torch._row_gradients import RowGradients
from cane.torch.distributed import gather_rows

__all__ = ["RowAdagrad", "RowAdam", "RowSGD"]


class _RowOptimizer(torch.optim.Optimizer):
    """What the rules share. `_rule` names the rule of `torch.ops.cane.row_update_`, `_moments` its
    moments: what the operator calls each, and what the state does."""

    _rule = ""
    _moments = {}
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
        for place, group in enumerate(self.param_groups):
            for parameter in group["params"]:
                self._update(place, group, parameter)
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
            for name in ("step", *self._moments.values()):
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
            for name in self._moments.values():
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
            rows, values, _ = by_rows or (None, None, None)
            by_rows = (*gather_rows(parameter, rows, values, self._process_group), False)
        if by_rows is None and dense is None:
            return
        if by_rows is not None and dense is not None:
            rows, values, _ = by_rows
            used = (rows >= 0).view(-1, *[1] * (values.dim() - 1))
            values = torch.where(used, values.float(), torch.zeros_like(values).float())
            dense = dense.float().index_add(0, rows.clamp_min(0), values)
            by_rows = None
        rows, values, distinct = by_rows or (None, dense, True)
        state = self._state_of(group, parameter)
        moments = {name: state[key] for name, key in self._moments.items()}
        first_decay, second_decay = group.get("betas", (0.0, 0.0))
        torch.ops.cane.row_update_(
            parameter,
            moments.get("first"),
            moments.get("second"),
            rows,
            values,
            self._rate_of(place, group, parameter.device),
            state["step"],
            self._rule,
            first_decay,
            second_decay,
            group.get("eps", 0.0),
            group["weight_decay"],
            distinct,
        )
        state["step"].add_(1)


class RowSGD(_RowOptimizer):
    """Stochastic gradient descent: `weight -= lr * gradient`.

    `weight_decay` adds that part of the weight to the gradient of a row that is touched."""

    _rule = "sgd"

    def __init__(self, params, lr=1e-3, weight_decay=0.0, process_group=None):
        super().__init__(params, {"lr": lr, "weight_decay": weight_decay}, process_group)


class RowAdagrad(_RowOptimizer):
    """AdaGrad: each weight has a rate of its own, `lr / (root of the sum of squared gradients + eps)`.

    What a row that is not touched misses is nothing: this is AdaGrad of the whole table."""

    _rule = "adagrad"
    _moments = {"second": "sum"}

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


class RowAdam(_RowOptimizer):
    """Adam with lazy rows, as `torch.optim.SparseAdam`: the moments of a row change when it is touched,
    their bias is that of all steps."""

    _rule = "adam"
    _moments = {"first": "exp_avg", "second": "exp_avg_sq"}

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


def _check_number(name, value):
    if torch.is_tensor(value):
        return  # reading it would wait for its device
    if not (math.isfinite(value) and value >= 0.0):
        raise ValueError(f"{name}={value}: it must be a number of at least 0")


def _row_gradient(parameter):
    """What a parameter has of gradients by rows, as (rows, values, whether no row is there twice)."""
    left = getattr(parameter, "row_gradients", None) or []
    parts = [(rows, values, isinstance(left, RowGradients)) for rows, values in left]
    gradient = parameter.grad
    if gradient is not None and gradient.is_sparse:
        if gradient.sparse_dim() != 1:
            raise RuntimeError(
                "a row optimiser takes sparse gradients over the first dimension; this "
                f"one has {gradient.sparse_dim()} sparse dimensions"
            )
        parts.append((gradient._indices()[0], gradient._values(), gradient.is_coalesced()))
    if not parts:
        return None
    if len(parts) == 1:
        return parts[0]
    return (
        torch.cat([rows for rows, _, _ in parts]),
        torch.cat([values for _, values, _ in parts]),
        False,
    )
