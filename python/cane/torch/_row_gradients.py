"""The gradients of class tables as rows: buffers of fixed size that backward fills."""

from collections.abc import Iterator

import torch
from torch import Tensor

from cane.torch._shapes import row_places, vectors


class RowGradients:
    """What `parameter.row_gradients` is: pairs (rows, values), one for each slot of the buffers.

    `rows` [R] int64 are distinct rows of the parameter, -1 in unused places, where the values have
    no meaning. `values` [R, ..] float32 are their gradients. Each backward pass fills the next
    slot, so that gradients of several passes accumulate until `clear()`.
    """

    def __init__(self, buffers: "RowBuffers", columns: slice | int) -> None:
        self._buffers = buffers
        self._columns = columns

    def __len__(self) -> int:
        return self._buffers.row_ids.shape[0]

    def __iter__(self) -> Iterator[tuple[Tensor, Tensor]]:
        for slot in range(len(self)):
            yield self._buffers.row_ids[slot], self._buffers.row_values[slot, :, self._columns]

    def clear(self) -> None:
        """Forgets the gradients; the buffers stay where they are."""
        self._buffers.row_ids.fill_(-1)
        self._buffers.row_count.zero_()


class RowBuffers(torch.nn.Module):
    """The buffers of a weight and its bias, which get their gradients together."""

    def __init__(self, num_classes: int, width: int, device=None) -> None:
        super().__init__()
        self.num_classes = num_classes
        self.width = width
        ids = torch.empty((0, 0), dtype=torch.int64, device=device)
        values = torch.empty((0, 0, vectors(width + 1)), device=device)
        count = torch.zeros((), dtype=torch.int64, device=device)
        self.register_buffer("row_ids", ids, persistent=False)
        self.register_buffer("row_values", values, persistent=False)
        self.register_buffer("row_count", count, persistent=False)

    def attach(self, weight: Tensor, bias: Tensor | None) -> None:
        """Gives the parameters their attribute `row_gradients`."""
        weight.row_gradients = RowGradients(self, slice(0, self.width))
        if bias is not None:
            bias.row_gradients = RowGradients(self, self.width)

    def reserve(
        self, examples: int, own: int, shared: int, own_noises: int, slots: int | None = None
    ) -> None:
        """Enlarges the buffers to hold batches of `examples` examples, if they are too small."""
        rows = row_places(examples, own, shared, own_noises, self.num_classes)
        slots = max(self.row_ids.shape[0], 1) if slots is None else slots
        if self.row_ids.shape[0] >= slots and self.row_ids.shape[1] >= rows:
            return
        rows = max(rows, self.row_ids.shape[1])
        ids = self.row_ids.new_full((slots, rows), -1)
        values = self.row_values.new_zeros((slots, rows, self.row_values.shape[2]))
        # What was recorded before stays.
        slots, rows = self.row_ids.shape
        ids[:slots, :rows] = self.row_ids
        values[:slots, :rows] = self.row_values
        self.row_ids, self.row_values = ids, values

    def arguments(self) -> tuple[Tensor, Tensor, Tensor]:
        """The last arguments of class_scores."""
        return self.row_ids, self.row_values, self.row_count
