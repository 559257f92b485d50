"""What the ranks of a process group do together, with gradients.

A loss is computed on all ranks alike, from the examples of all of them; each rank then takes the part
that belongs to its own examples. Gradients of what all ranks share are divided by the number of ranks,
as `DistributedDataParallel` does, so that R ranks with a batch each learn what one process learns from
the mean over all R batches.
"""

import torch
import torch.distributed as dist
from torch import Tensor


def first_rank(group) -> int:
    """The number by which the whole job knows the first rank of a group."""
    return 0 if group is dist.group.WORLD else dist.get_global_rank(group, 0)


def gathered(tensor: Tensor, group) -> Tensor:
    """The tensors of all ranks, one after the other along the first dimension; no gradient."""
    parts = [
        torch.empty_like(tensor, memory_format=torch.contiguous_format)
        for _ in range(dist.get_world_size(group))
    ]
    dist.all_gather(parts, tensor.detach().contiguous(), group=group)
    return torch.cat(parts)


def summed(tensor: Tensor, group) -> Tensor:
    """The sum over the ranks; no gradient."""
    total = tensor.detach().clone(memory_format=torch.contiguous_format)
    dist.all_reduce(total, group=group)
    return total


def own_part(tensor: Tensor, group) -> Tensor:
    """This rank's part of what `gathered` has put together."""
    size = tensor.shape[0] // dist.get_world_size(group)
    return tensor.narrow(0, dist.get_rank(group) * size, size)


class GatherExamples(torch.autograd.Function):
    """`gathered`; the gradient of an example is what all ranks' classes have given it."""

    @staticmethod
    def forward(context, tensor, group):
        context.group = group
        return gathered(tensor, group)

    @staticmethod
    def backward(context, gradient):
        own = own_part(summed(gradient, context.group), context.group)
        return own * dist.get_world_size(context.group), None


class OwnPart(torch.autograd.Function):
    """`own_part`; the gradients of all ranks' parts are gathered."""

    @staticmethod
    def forward(context, tensor, group):
        context.group = group
        return own_part(tensor, group).clone()

    @staticmethod
    def backward(context, gradient):
        return gathered(gradient, context.group) / dist.get_world_size(context.group), None
