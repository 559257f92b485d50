"""Classes in clusters of equal size: the blocks of a proposal, and the tree of two levels."""

import math

import torch
from torch import Tensor


def cluster_size(num_classes: int) -> int:
    """A quarter of the root of the number of classes, at least 16.

    The clusters are scored by one product for the whole batch, their members by gathering rows for
    each example: fewer members than clusters makes both parts cost the same.
    """
    return max(16, round(math.sqrt(num_classes) / 4))


def cluster_order(vectors: Tensor, size: int | None = None) -> Tensor:
    """An order of the classes in which those with similar vectors are neighbours.

    `vectors` [classes, D] are, for example, the means of the hidden states of each class. The
    classes are halved again and again at the median of their leading principal direction, until a
    part has no more than `size` classes.
    """
    if vectors.dim() != 2:
        raise ValueError("vectors must be a matrix with a row for each class")
    size = cluster_size(len(vectors)) if size is None else size
    parts = [torch.arange(len(vectors), device=vectors.device)]
    done = []
    while parts:
        part = parts.pop()
        if len(part) <= size:
            done.append(part)
            continue
        rows = vectors[part].float()
        centred = rows - rows.mean(0)
        direction = centred[centred.square().sum(1).argmax()]
        for _ in range(8):
            direction = torch.nn.functional.normalize(centred.t() @ (centred @ direction), dim=0)
        part = part[(centred @ direction).argsort()]
        # The left part is a whole number of clusters, so that no cluster spans two parts.
        half = math.ceil(len(part) / size / 2) * size
        parts += [part[half:], part[:half]]
    return torch.cat(done).to(torch.int32)


class Clusters(torch.nn.Module):
    """The order of the classes, as buffers: empty where it is that of their numbers."""

    def __init__(self, num_classes: int, size: int, order: Tensor | None, device=None) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.size = size
        self.count = (num_classes + size - 1) // size
        order, places = _checked(order, num_classes)
        self.register_buffer("order", order.to(device))
        self.register_buffer("places", places.to(device))

    def of_classes(self, classes: Tensor) -> Tensor:
        """The cluster of each class [..] as int64; that of class 0 where there is none."""
        place = classes.clamp_min(0).long()
        if self.order.numel() > 0:
            place = self.places[place].long()
        return torch.div(place, self.size, rounding_mode="floor")

    def position_of(self, classes: Tensor) -> Tensor:
        """The position of each class within its cluster."""
        place = classes.clamp_min(0).long()
        if self.order.numel() > 0:
            place = self.places[place].long()
        return place % self.size

    def members(self, clusters: Tensor) -> Tensor:
        """The classes [B, w * size] int32 of clusters [B, w], -1 beyond the last class."""
        inside = torch.arange(self.size, device=clusters.device)
        place = (clusters.unsqueeze(-1) * self.size + inside).flatten(1)
        is_class = place < self.num_classes
        place = place.clamp_max(self.num_classes - 1)
        classes = self.order[place] if self.order.numel() > 0 else place.to(torch.int32)
        return torch.where(is_class, classes, -torch.ones_like(classes))


def _checked(order: Tensor | None, num_classes: int) -> tuple[Tensor, Tensor]:
    if order is None:
        return torch.empty(0, dtype=torch.int32), torch.empty(0, dtype=torch.int32)
    order = torch.as_tensor(order).cpu().long()
    places = torch.full((num_classes,), -1)
    if order.shape != (num_classes,) or order.min() < 0 or order.max() >= num_classes:
        raise ValueError(f"class_order must name each of the {num_classes} classes once")
    places[order] = torch.arange(num_classes)
    if places.min() < 0:
        raise ValueError(f"class_order must name each of the {num_classes} classes once")
    return order.to(torch.int32), places.to(torch.int32)
