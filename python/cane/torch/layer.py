"""CaneOutput: the output layer of a model with many classes."""

import functools
import math
import sys
from typing import NamedTuple

import torch
import torch.utils.checkpoint
from torch import Tensor

from cane.torch import _losses, _options
from cane.torch._clusters import Clusters, cluster_size
from cane.torch._losses import FullLoss, ListLoss, MemberLoss, Sink
from cane.torch._prediction import Prediction
from cane.torch._selection import Selection


class OutputAndLoss(NamedTuple):
    """What the layer returns."""

    output: Tensor
    loss: Tensor


def _eager(function):
    """torch.compile leaves the step as it is: its gradients are sparse, or in lists."""
    disable = getattr(getattr(torch, "compiler", None), "disable", None)
    return function if disable is None else disable(function)


class CaneOutput(Prediction, torch.nn.Module):
    """Class scores `hidden @ weight.T + bias`, and a loss that looks at few of them.

    `layer(hidden, target)` returns (output, loss). `output` has the shape of `target`: the
    log-probability of the target for `softmax` and `hsm`, minus the loss of the example for the
    other methods, which is no log-probability. It is 0 for padding.

    Arguments:
      candidates: how many of the most frequent classes a batch lists; by default 1,024.
      noises: how many classes are drawn for a batch, which stand for all others; by default 8 for
        each example, but 1,024 to 8,192, and where that would list as many classes as there are,
        all are listed.
      select: "frequent" (by `class_counts`), "batch" (the labels of the other examples),
        "frequent+batch" or "none"; "auto": "frequent" where there are `class_counts`, else "none".
      method: "cane", "softmax", "nce", "blackout", "neg", "css", "ove" or "hsm".
      class_counts: how often each class occurs [num_classes], for "frequent" and noises.
      tied_weight: the weight [num_classes, in_features] of an embedding, which the layer shares.
      noise: "counts" (class_counts to the power `noise_power`), "uniform" or "auto".
      prior: whether the proposal in a state of the first layers counts; None: unless the weight is
        tied.
      class_order: an order in which similar classes are neighbours (`cluster_order`), for "hsm".
      row_gradients: backward leaves rows and values in `weight.row_gradients` instead of sparse
        tensors in `weight.grad`; needed for CUDA graphs.
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        candidates: int | dict[str, int] | None = None,
        noises: int | None = None,
        select: str = "auto",
        method: str = "cane",
        class_counts: Tensor | None = None,
        bias: bool = True,
        tied_weight: Tensor | None = None,
        noise: str = "auto",
        noise_power: float = 0.75,
        prior: bool | None = None,
        class_order: Tensor | None = None,
        reduction: str = "mean",
        ignore_index: int = -100,
        label_smoothing: float = 0.0,
        seed: int = 1,
        row_gradients: bool = False,
        dtype: torch.dtype = torch.float32,
        device=None,
        **retired,
    ) -> None:
        super().__init__()
        _options.refuse_retired(retired)
        _options.check_sizes(in_features, num_classes)
        _options.check_losses(reduction, label_smoothing, method)
        if tied_weight is not None and device is None:
            device = tied_weight.device
        self.in_features, self.num_classes, self.method = in_features, num_classes, method
        self.reduction, self.ignore_index = reduction, ignore_index
        self.label_smoothing, self.row_gradients = label_smoothing, row_gradients
        self.facts = _options.METHODS[method]
        self.folds_prior = tied_weight is None if prior is None else prior
        self._make_tables(tied_weight, bias, dtype, device)
        self.clusters = None
        if self.facts.is_hierarchical:
            size = cluster_size(num_classes)
            self.clusters = Clusters(num_classes, size, class_order, device)
            shape = (self.clusters.count, in_features)
            self.cluster_weight = torch.nn.Parameter(torch.zeros(shape, device=device))
            self.cluster_bias = torch.nn.Parameter(torch.zeros(shape[0], device=device))
        self.selection = None
        class_counts = _options.checked_counts(class_counts, num_classes)
        parts = _options.parts_of(select, method, class_counts is not None)
        frequent = _options.frequent_of(candidates, noises, parts, num_classes)
        law = _options.noise_of(noise, method, class_counts is not None)
        if self.facts.has_noises:
            self.selection = Selection(
                num_classes, parts, frequent, noises, class_counts, law, noise_power, seed, device
            )
        self.register_buffer("step", torch.zeros((), dtype=torch.int64, device=device))

    def _rows_here(self) -> int:
        """How many classes have their rows in this process."""
        return self.num_classes

    def _make_tables(self, tied_weight, bias, dtype, device) -> None:
        shape = (self._rows_here(), self.in_features)
        if tied_weight is None:
            self.weight = torch.nn.Parameter(torch.empty(shape, dtype=dtype, device=device))
            bound = 1 / math.sqrt(self.in_features)
            torch.nn.init.uniform_(self.weight, -bound, bound)
        elif not isinstance(tied_weight, torch.nn.Parameter):
            raise TypeError("tied_weight: must be a Parameter, such as the weight of an Embedding")
        elif tuple(tied_weight.shape) != shape:
            raise ValueError(f"tied_weight: must be {shape}, but is {tuple(tied_weight.shape)}")
        else:
            self.weight = tied_weight
        _check_type(self.weight)
        self.register_parameter("bias", None)
        if bias:
            self.bias = torch.nn.Parameter(torch.zeros(shape[0], device=device))

    @_eager
    def forward(
        self,
        hidden: Tensor,
        target: Tensor,
        weight: Tensor | None = None,
        *,
        step: Tensor | int | None = None,
    ) -> OutputAndLoss:
        """The loss of hidden [.., in_features] for target [..], `weight` [..] being a factor.

        The draws are those of `step`; by default of the layer's own counter, which each call in
        training mode advances.
        """
        shape = hidden.shape[:-1]
        self._check_inputs(hidden, target, weight)
        labels = self._labels(target.reshape(-1))
        if step is None:
            step = self._next_step()
        else:
            step = torch.as_tensor(step, dtype=torch.int64, device=self.step.device)
        is_padding = labels < 0
        losses = self._losses(hidden.reshape(-1, self.in_features), labels, step)
        losses = losses.masked_fill(is_padding, 0.0)
        factor = (~is_padding).to(losses.dtype)
        if weight is not None:
            factor = factor * weight.reshape(-1).to(losses.dtype)
        total = losses * factor
        if self.reduction == "none":
            return OutputAndLoss(-losses.view(shape), total.view(shape))
        loss = total.sum()
        if self.reduction == "mean":
            loss = loss / factor.sum().clamp_min(torch.finfo(total.dtype).tiny)
        return OutputAndLoss(-losses.view(shape), loss)

    def _sink(self) -> Sink:
        if self.row_gradients:
            for table in (self.weight, self.bias):
                if table is not None and not hasattr(table, "row_gradients"):
                    table.row_gradients = []
        return Sink(self.weight, self.bias, self.row_gradients and torch.is_grad_enabled())

    def _losses(self, hidden: Tensor, labels: Tensor, step: Tensor) -> Tensor:
        tables = (hidden, self.weight, self.bias)
        if self.facts.trains_all_classes:
            tables = (hidden, self.weight, self.class_bias())
            return FullLoss.apply(*tables, labels.clamp_min(0), self.label_smoothing, None)
        if self.clusters is not None:
            # Padding is where another example is: it has no rows of its own.
            labels = torch.where(labels < 0, labels.max().clamp_min(0), labels)
            cluster = self.clusters.of_classes(labels)
            members = self.clusters.members(cluster.unsqueeze(1))
            inside = MemberLoss.apply(
                *tables, members, self.clusters.position_of(labels), self._sink()
            )
            scores = self.cluster_scores(hidden)
            return inside + torch.nn.functional.cross_entropy(scores, cluster, reduction="none")
        lists = self.selection.lists(labels, step)
        slopes_of = _losses.pooled
        if not self.facts.has_candidates:
            lists = lists._replace(dead=[])  # the label stands beside the noises
            slopes_of = functools.partial(
                _losses.contrasted, self.method, labels=labels, num_classes=self.num_classes
            )
        return ListLoss.apply(*tables, labels, lists, slopes_of, self._sink())

    def class_bias(self) -> Tensor:
        """The bias of each class; zeros where the layer has none."""
        if self.bias is not None:
            return self.bias
        return torch.zeros(self.weight.shape[0], device=self.weight.device)

    def cluster_scores(self, hidden: Tensor) -> Tensor:
        """The scores [B, clusters] of the upper level of the tree."""
        with _losses.without_autocast(hidden.device):
            tables = (self.cluster_weight.float(), self.cluster_bias)
            return torch.nn.functional.linear(hidden.float(), *tables)

    def _labels(self, target: Tensor) -> Tensor:
        """The targets, -2 where they are padding."""
        is_padding = target == self.ignore_index
        is_valid = is_padding | ((target >= 0) & (target < self.num_classes))
        rule = f"no class of {self.num_classes} and not the ignore_index {self.ignore_index}"
        check_classes("target", target, is_valid, rule)
        return target.masked_fill(is_padding, -2)

    def _next_step(self) -> Tensor:
        """The step of this call. A forward pass that checkpointing repeats takes the last one."""
        if not self.training:
            return self.step
        if _is_recomputing():
            return self.step - 1
        step = self.step.clone()
        self.step.add_(1)
        return step

    def _check_inputs(self, hidden: Tensor, target: Tensor, weight: Tensor | None) -> None:
        if hidden.shape[-1] != self.in_features:
            raise ValueError(
                f"hidden: has {hidden.shape[-1]} features, but in_features is {self.in_features}"
            )
        if target.shape != hidden.shape[:-1]:
            raise ValueError(
                f"target: has shape {tuple(target.shape)}, but hidden has {tuple(hidden.shape)}"
            )
        for name, tensor in (("hidden", hidden), ("target", target), ("weight", weight)):
            if tensor is not None and tensor.device != self.weight.device:
                raise ValueError(
                    f"{name}: is on {tensor.device}, but the layer on {self.weight.device}"
                )
        if target.dtype != torch.int64:
            raise TypeError(f"target: must be int64, but is {target.dtype}")
        if weight is not None and weight.shape != target.shape:
            raise ValueError(
                f"weight: has shape {tuple(weight.shape)}, but target has {tuple(target.shape)}"
            )

    @torch.no_grad()
    def class_rows(self) -> tuple[Tensor, Tensor]:
        """Rows [num_classes, in_features] and biases [num_classes], float32, in which the scores
        are linear; not for trees."""
        if self.clusters is not None:
            raise ValueError("class_rows: the scores are sums along the paths of a tree")
        return self.weight.float().clone(), self.class_bias().clone()

    def save_model(self, path, labels=None, class_counts=None) -> None:
        """Write a `cane` model file; see `cane.torch.save_model`."""
        from cane.torch.model_file import save_model

        save_model(self, path, labels, class_counts)

    def extra_repr(self) -> str:
        """What print shows."""
        return (
            f"in_features={self.in_features}, num_classes={self.num_classes}, "
            f"method={self.method!r}, bias={self.bias is not None}"
        )

    def _load_from_state_dict(self, state, prefix, *arguments) -> None:
        if self.clusters is None:
            fold_first_layers(state, prefix, self.folds_prior)
        super()._load_from_state_dict(state, prefix, *arguments)

    def _apply(self, fn, *arguments, **named):
        # Rows of classes may become bfloat16; probabilities, biases and clusters stay float32.
        def changed(tensor: Tensor) -> Tensor:
            result = fn(tensor)
            is_weight = tensor is self.weight or tensor is self.weight.grad
            if is_weight or result.dtype == tensor.dtype or not tensor.is_floating_point():
                return result
            return tensor.to(result.device)

        super()._apply(changed, *arguments, **named)
        _check_type(self.weight)
        return self


def fold_first_layers(state: dict, prefix: str, folds_prior: bool) -> None:
    """Makes flat rows and biases of the state of a layer that had a proposal, or a tree whose scores
    are sums along its paths: of a tree the rows of the clusters, of a proposal at low rank its own,
    times the projection."""

    def take(name: str) -> Tensor | None:
        return state.pop(prefix + name, None)

    proposal = "selection.proposal."
    take("clusters.order"), take(proposal + "clusters.order")
    paths = take("cluster_weight"), take("cluster_bias"), take("clusters.places")
    places = take(proposal + "clusters.places")
    projection, rows, bias = (take(proposal + name) for name in ("projection", "rows", "bias"))
    upper = take(proposal + "cluster_weight"), take(proposal + "cluster_bias")
    weight, biases = state.get(prefix + "weight"), state.get(prefix + "bias")
    if projection is not None and folds_prior:
        if upper[0] is not None:
            rows, bias = _of_clusters(*upper, places, len(rows))
        state[prefix + "weight"] = (weight.float() + rows @ projection.t()).to(weight.dtype)
        if biases is not None:
            state[prefix + "bias"] = biases + bias
    elif paths[0] is not None:
        rows, bias = _of_clusters(*paths, len(weight))
        state[prefix + "weight"] = (weight.float() + rows).to(weight.dtype)
        if biases is not None:
            state[prefix + "bias"] = biases + bias


def _of_clusters(rows: Tensor, bias: Tensor, places: Tensor, classes: int):
    """For each class the row and the bias of its cluster."""
    place = places.long() if len(places) > 0 else torch.arange(classes, device=rows.device)
    cluster = torch.div(place, cluster_size(classes), rounding_mode="floor")
    return rows[cluster], bias[cluster]


def _is_recomputing() -> bool:
    """Whether a backward pass calls, as checkpointing does to compute a forward pass again."""
    task = getattr(torch._C, "_current_graph_task_id", None)
    if task is not None:
        return task() != -1
    frame = sys._getframe()
    while frame is not None:  # PyTorch 1.13 knows nothing of its tasks
        code = frame.f_code
        if code.co_filename == torch.utils.checkpoint.__file__ and code.co_name in (
            "backward",
            "unpack",
        ):
            return True
        frame = frame.f_back
    return False


def check_classes(name: str, classes: Tensor, is_valid: Tensor, rule: str) -> None:
    """Refuses classes that are not valid: an error on the CPU, and an assertion of the device where
    an answer would have to be waited for."""
    if classes.device.type == "cuda":
        torch._assert_async(is_valid.all())
    elif not is_valid.all():
        raise IndexError(f"{name}: {int(classes[~is_valid][0])} is {rule}")


def _check_type(weight: Tensor) -> None:
    if weight.dtype not in (torch.float32, torch.bfloat16):
        raise TypeError(f"dtype: must be float32 or bfloat16, but is {weight.dtype}")
