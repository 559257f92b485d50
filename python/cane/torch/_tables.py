"""The tables of a layer: class rows, the upper level of a tree, and their row gradients."""

import math

import torch
from torch import Tensor

from cane.torch._clusters import Clusters, cluster_size
from cane.torch._proposal import Proposal
from cane.torch._row_gradients import RowBuffers
from cane.torch._shortlist import Shortlist, class_scores_alone, scores_of
from cane.torch._step import is_compiling


class ClassTables(torch.nn.Module):
    """Scores by class rows, or by the sum along the path of a tree of two levels."""

    def __init__(self, in_features, num_classes, bias, tied_weight, dtype, device) -> None:
        super().__init__()
        self.in_features, self.num_classes = in_features, num_classes
        self.clusters: Clusters | None = None
        self.is_tree = False
        self.has_prior = False
        shape = (self.num_classes, self.in_features)
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
        zeros = torch.zeros(self.num_classes, device=device)
        if bias:
            self.bias = torch.nn.Parameter(zeros)
        else:
            self.register_parameter("bias", None)
            self.register_buffer("_no_bias", zeros, persistent=False)
        self.rows = RowBuffers(self.num_classes, self.in_features, device)

    def make_tree(self, order: Tensor | None, device) -> None:
        """The upper level: a row for each cluster of classes."""
        self.clusters = Clusters(self.num_classes, cluster_size(self.num_classes), order, device)
        shape = (self.clusters.count, self.in_features)
        self.cluster_weight = torch.nn.Parameter(torch.zeros(shape, device=device))
        self.cluster_bias = torch.nn.Parameter(torch.zeros(self.clusters.count, device=device))

    @property
    def class_bias(self) -> Tensor:
        """The bias of each class; zeros where the layer has none."""
        return self._no_bias if self.bias is None else self.bias

    @property
    def prior(self) -> Proposal | None:
        """The proposal, where it is part of the scores."""
        return self.selection.proposal if self.has_prior else None

    def cluster_scores(self, hidden: Tensor) -> Tensor:
        """The scores [B, clusters] of the upper level of the tree."""
        return torch.nn.functional.linear(hidden, self.cluster_weight, self.cluster_bias).float()

    def shortlist_scores(
        self,
        hidden: Tensor,
        of_clusters: Tensor | None,
        lists: Shortlist,
        rows: RowBuffers | None = None,
    ) -> Tensor:
        """The scores of a shortlist, those of clusters or of the prior added."""
        scores = scores_of(hidden, self.weight, self.class_bias, lists, rows)
        if self.prior is not None:
            scores = scores + self.prior.prior(hidden, lists)
        if of_clusters is None:
            return scores
        return scores + of_clusters.gather(1, self.clusters.of_classes(lists.columns()))

    @torch.no_grad()
    def beam(self, hidden: Tensor, of_clusters: Tensor, count: int) -> Tensor:
        """The best classes [B, count] of the best clusters, by the sum along their path."""
        width = min(self.clusters.count, max(4, math.ceil(4 * count / self.clusters.size)))
        best = (of_clusters.log_softmax(1) if self.is_tree else of_clusters).topk(width, 1)
        members = self.clusters.members(best.indices)
        inside = class_scores_alone(hidden, self.weight, self.class_bias, members)
        inside = inside.unflatten(1, (-1, self.clusters.size))
        if self.is_tree:
            inside = inside.log_softmax(2)
        scores = (inside + best.values.unsqueeze(2)).flatten(1)
        top = scores.topk(min(count, scores.shape[1]), 1)
        return members.gather(1, top.indices).masked_fill(top.values == -math.inf, -1)

    def reserve_rows(self, examples: int, slots: int = 1) -> None:
        """Makes room for the row gradients of `slots` backward passes of `examples` each.

        Eager code grows the buffers itself, compiled code and CUDA graphs cannot.
        """
        self.attach_rows()
        if self.is_tree:
            self.rows.reserve(examples, self.clusters.size + 1, 1, 0, slots)
        if self.selection is None:
            return
        shape = self.selection.shape(examples)
        self.rows.reserve(examples, *shape, slots)
        if self.selection.proposal is not None:
            self.selection.proposal.reserve(examples, *shape, slots)

    def prepare_rows(self, examples: int) -> None:
        """Room for the batch at hand, where that can still be made."""
        if is_compiling():
            return
        self.reserve_rows(examples, max(1, self.rows.row_ids.shape[0]))

    def attach_rows(self) -> None:
        """Gives the parameters their attribute `row_gradients`, which copies do not inherit."""
        if not self.row_gradients or self.trains_all_classes:
            return
        self.rows.attach(self.weight, self.bias)
        if self.selection is not None and self.selection.proposal is not None:
            proposal = self.selection.proposal
            proposal.buffers_of_rows.attach(proposal.rows, proposal.bias)

    def _apply(self, fn, *args, **kwargs):
        # Rows of classes may become bfloat16; probabilities, biases and proposals stay float32.
        def changed(tensor: Tensor) -> Tensor:
            result = fn(tensor)
            is_weight = tensor is self.weight or tensor is self.weight.grad
            if is_weight or result.dtype == tensor.dtype or not tensor.is_floating_point():
                return result
            return tensor.to(result.device)

        super()._apply(changed, *args, **kwargs)
        _check_type(self.weight)
        self.attach_rows()
        return self


def _check_type(weight: Tensor) -> None:
    if weight.dtype not in (torch.float32, torch.bfloat16):
        raise TypeError(f"dtype: must be float32 or bfloat16, but is {weight.dtype}")
