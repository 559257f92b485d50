"""CaneOutput: the output layer of a model with many classes."""

from typing import NamedTuple

import torch
from torch import Tensor

from cane.torch import _options
from cane.torch._prediction import Prediction
from cane.torch._proposal import Proposal
from cane.torch._selection import Selection
from cane.torch._shortlist import losses_of, tree_losses
from cane.torch._step import check_classes, check_transforms, is_compiling, is_recomputing
from cane.torch._tables import ClassTables


class OutputAndLoss(NamedTuple):
    """What the layer returns."""

    output: Tensor
    loss: Tensor


class CaneOutput(ClassTables, Prediction):
    """Class scores `hidden @ weight.T + bias`, with a proposal those of the proposal added, and a
    loss that looks at few of them.

    `layer(hidden, target)` returns (output, loss). `output` has the shape of `target`: the
    log-probability of the target for `softmax` and `hsm`, minus the loss of the example for the
    other methods, which is no log-probability. It is 0 for padding.

    Arguments:
      candidates: how many classes the selection gives each example, or a dict with a number for
        each part of `select`.
      noises: how many classes stand for all others.
      select: "proposal", "beam", "frequent", "batch", or a union such as "frequent+batch+proposal".
      method: "cane", "softmax", "nce", "blackout", "neg", "css", "ove" or "hsm".
      class_counts: how often each class occurs [num_classes], for "frequent" and noises.
      tied_weight: the weight [num_classes, in_features] of an embedding, which the layer shares.
      noise: "proposal", "counts" (class_counts to the power `noise_power`), "uniform" or "auto".
      proposal: "low-rank", "tree" or "auto", by the number of classes; `rank` is its width.
      prior: whether the proposal is part of the scores; None: where there is one, unless the weight
        is tied. `class_rows()` has rows and biases that the scores are linear in.
      class_order: an order in which similar classes are neighbours (`cluster_order`), for trees.
      row_gradients: backward leaves rows and values in `weight.row_gradients` instead of sparse
        tensors in `weight.grad`; needed for torch.compile and CUDA graphs.
    """

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        candidates: int | dict[str, int] = 64,
        noises: int = 16,
        select: str = _options.DEFAULT_SELECTION,
        method: str = "cane",
        class_counts: Tensor | None = None,
        bias: bool = True,
        tied_weight: Tensor | None = None,
        noise: str = "auto",
        noise_power: float = 0.75,
        proposal: str = "auto",
        rank: int = 32,
        prior: bool | None = None,
        class_order: Tensor | None = None,
        reduction: str = "mean",
        ignore_index: int = -100,
        label_smoothing: float = 0.0,
        seed: int = 1,
        row_gradients: bool = False,
        dtype: torch.dtype = torch.float32,
        device=None,
    ) -> None:
        _options.check_sizes(in_features, num_classes, noises, rank)
        row = _options.METHODS[_options.one_of("method", method, _options.METHODS)]
        _options.check_losses(reduction, label_smoothing, method, row)
        parts = _options.parts_of(select, method)
        if tied_weight is not None and device is None:
            device = tied_weight.device
        super().__init__(in_features, num_classes, bias, tied_weight, dtype, device)
        if row.is_hierarchical or "beam" in parts:
            self.make_tree(class_order, device)
        self.method = method
        self.reduction, self.ignore_index = reduction, ignore_index
        self.label_smoothing, self.row_gradients = label_smoothing, row_gradients
        self.is_tree = row.is_hierarchical
        self.is_ratio_to_noise = row.learns_ratio_to_noise
        self.trains_all_classes = row.trains_all_classes
        counts = _options.counts_of_parts(candidates, parts, num_classes) if parts else {}
        class_counts = _options.checked_counts(class_counts, num_classes)
        self.selection = None
        self.has_prior = _options.has_prior(prior, parts, tied_weight is not None)
        if row.has_noises:
            narrow = None
            if "proposal" in parts:
                kind = _options.proposal_of(proposal, num_classes)
                narrow = Proposal(
                    kind, in_features, num_classes, rank, class_order, class_counts, device
                )
            noise = _options.noise_of(noise, row, parts, class_counts is not None)
            self.selection = Selection(
                num_classes,
                method,
                parts,
                counts,
                noise,
                noises,
                noise_power,
                seed,
                class_counts,
                narrow,
                device,
            )
        self.register_buffer("step", torch.zeros((), dtype=torch.int64, device=device))
        self.attach_rows()

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
        check_transforms()
        shape = hidden.shape[:-1]
        self._check_inputs(hidden, target, weight)
        flat = hidden.reshape(-1, self.in_features).float()
        labels = self._labels(target.reshape(-1))
        if step is None:
            step = self._next_step()
        else:
            step = torch.as_tensor(step, dtype=torch.int64, device=self.step.device)
        if self.row_gradients:
            self.prepare_rows(flat.shape[0])
        losses, beside = self._losses(flat, labels, step)
        is_padding = labels < 0
        output = -losses
        # The proposal learns from its loss, which does not show in the value.
        total = losses if beside is None else losses + (beside - beside.detach())
        factor = (~is_padding).to(total.dtype)
        if weight is not None:
            factor = factor * weight.reshape(-1).to(total.dtype)
        total = total * factor
        if self.reduction == "none":
            return OutputAndLoss(output.view(shape), total.view(shape))
        loss = total.sum()
        if self.reduction == "mean":
            loss = loss / factor.sum().clamp_min(torch.finfo(total.dtype).tiny)
        return OutputAndLoss(output.view(shape), loss)

    def _losses(self, hidden: Tensor, labels: Tensor, step: Tensor) -> tuple[Tensor, Tensor | None]:
        rows = self.rows if self.row_gradients else None
        if self.trains_all_classes:
            losses, _ = torch.ops.cane.softmax_loss(
                hidden, self.weight, self.class_bias, labels, self.label_smoothing
            )
            return losses, None
        if self.is_tree:
            scores = self.cluster_scores(hidden)
            tables = (self.weight, self.class_bias, self.clusters)
            return tree_losses(hidden, scores, *tables, labels, rows), None
        own, of_clusters = None, None
        if self.clusters is not None:
            of_clusters = self.cluster_scores(hidden)
            own = self.beam(hidden.detach(), of_clusters.detach(), self.selection.own_candidates)
        lists, features = self.selection(hidden, labels, step, own)
        scores = self.shortlist_scores(hidden, of_clusters, lists, rows)
        losses = losses_of(scores, lists, self.num_classes, self.method)
        if features is None or not torch.is_grad_enabled():
            return losses, None
        return losses, self.selection.proposal.losses(features, lists, labels, self.row_gradients)

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
        if is_recomputing():
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
        if is_compiling() and not self.row_gradients and not self.trains_all_classes:
            raise RuntimeError(
                "cane.torch: sparse gradients cannot be compiled; make the layer with "
                "row_gradients=True, and take an optimiser of cane.torch for its tables"
            )

    @torch.no_grad()
    def class_rows(self) -> tuple[Tensor, Tensor]:
        """Rows [num_classes, in_features] and biases [num_classes], float32, in which the scores
        are linear: weight and bias, and the prior where there is one; not for trees."""
        if self.clusters is not None:
            raise ValueError("class_rows: the scores are sums along the paths of a tree")
        weight, bias = self.weight.float(), self.class_bias
        if self.prior is None:
            return weight.clone(), bias.clone()
        of_prior = self.prior.folded()
        return weight + of_prior[0], bias + of_prior[1]

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

    def __prepare_scriptable__(self):
        raise NotImplementedError(
            "cane.torch: CaneOutput cannot be scripted; compile the model with torch.compile"
        )
