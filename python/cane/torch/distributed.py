"""Data parallel training: `DistributedDataParallel` for what is dense, rows for the tables.

    model = cane.torch.data_parallel(model)
    optimizer = cane.torch.RowAdam(model.parameters(), lr=1e-3, process_group=dist.group.WORLD)

Each rank has its part of the batch. PyTorch averages the dense gradients over the ranks while the
backward pass runs; of the tables of `CaneOutput` and of sparse embeddings it knows nothing. Their
gradients are rows, which the row optimiser gathers from all ranks and averages when it takes its step.
So all ranks make the same step, and the tables stay equal.
"""

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.nn.parallel import DistributedDataParallel

from cane.torch._collectives import first_rank
from cane.torch.class_parallel import ClassParallelOutput
from cane.torch.layer import CaneOutput

__all__ = ["data_parallel", "gather_rows"]


def data_parallel(model: nn.Module, process_group=None, **options) -> DistributedDataParallel:
    """The model as `DistributedDataParallel(model, **options)`, without its tables of rows.

    All ranks begin with the tables of rank 0, and each draws noises of its own. The optimiser must be
    a row optimiser with the same `process_group`. A `ClassParallelOutput` in the model is left to
    itself: its rows are on one rank each, and its other gradients are the same on all ranks.
    """
    group = process_group or dist.group.WORLD
    tables, own = _row_tables(model), _of_class_parallel(model)
    for table in tables:
        dist.broadcast(table.data, first_rank(group), group=group)
        table.gathers_rows = True
    for layer in model.modules():
        if _is_whole_layer(layer) and layer.selection is not None:
            layer.selection.seed += dist.get_rank(group) << 32
    DistributedDataParallel._set_params_and_buffers_to_ignore_for_model(
        model, _names_of(model, {id(tensor) for tensor in tables + own + _buffers(model)})
    )
    return DistributedDataParallel(model, process_group=process_group, **options)


def _is_whole_layer(module: nn.Module) -> bool:
    return isinstance(module, CaneOutput) and not isinstance(module, ClassParallelOutput)


def _row_tables(model: nn.Module) -> list[nn.Parameter]:
    """The parameters whose gradients are rows, each once."""
    tables: dict[int, nn.Parameter] = {}
    for module in model.modules():
        found = []
        if _is_whole_layer(module) and not module.facts.trains_all_classes:
            found = [module.weight, module.bias]
        elif isinstance(module, (nn.Embedding, nn.EmbeddingBag)) and module.sparse:
            found = [module.weight]
        tables.update({id(table): table for table in found if table is not None})
    return list(tables.values())


def _of_class_parallel(model: nn.Module) -> list[nn.Parameter]:
    return [
        parameter
        for module in model.modules()
        if isinstance(module, ClassParallelOutput)
        for parameter in module.parameters()
    ]


def _buffers(model: nn.Module) -> list[Tensor]:
    """The buffers of output layers, which every rank computes itself: no need to broadcast them."""
    return [
        buffer
        for module in model.modules()
        if isinstance(module, CaneOutput)
        for buffer in module.buffers()
    ]


def _names_of(model: nn.Module, wanted: set[int]) -> list[str]:
    """All names of these tensors; a shared one has several."""
    names = []
    for prefix, module in model.named_modules():
        for name, tensor in [*module._parameters.items(), *module._buffers.items()]:
            if id(tensor) in wanted:
                names.append(f"{prefix}.{name}" if prefix else name)
    return names


def gather_rows(table: Tensor, rows: Tensor | None, values: Tensor | None, group):
    """The mean over all ranks of gradients by rows, as rows and values; rows may be there twice.

    Every rank has to call it; one that has no gradient passes None. Each rank sends its rows, 8 bytes
    and a row of values each, as many as the rank with most of them has.
    """
    if rows is None:
        rows = torch.empty(0, dtype=torch.int64, device=table.device)
        values = table.new_empty((0, *table.shape[1:]), dtype=torch.float32)
    ranks = dist.get_world_size(group)
    count = torch.tensor([len(rows)], device=table.device)
    counts = [torch.empty_like(count) for _ in range(ranks)]
    dist.all_gather(counts, count, group=group)
    most = int(torch.cat(counts).max())
    if most == 0:
        return rows, values
    rows = nn.functional.pad(rows, (0, most - len(rows)), value=-1)
    values = values.float().reshape(len(values), table[0].numel())
    values = nn.functional.pad(values, (0, 0, 0, most - len(values)))
    all_rows = [torch.empty_like(rows) for _ in range(ranks)]
    all_values = [torch.empty_like(values) for _ in range(ranks)]
    dist.all_gather(all_rows, rows.contiguous(), group=group)
    dist.all_gather(all_values, values.contiguous(), group=group)
    return torch.cat(all_rows), (torch.cat(all_values) / ranks).view(-1, *table.shape[1:])
