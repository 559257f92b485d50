"""What the layer asks about the way in which it is called, and about the classes it is given."""

import torch
from torch import Tensor


def is_compiling() -> bool:
    """Whether torch.compile traces the call."""
    compiler = getattr(torch, "compiler", None)
    return compiler is not None and compiler.is_compiling()


def is_recomputing() -> bool:
    """Whether a backward pass calls, as checkpointing does to compute a forward pass again."""
    return not is_compiling() and torch.ops.cane.is_in_backward()


def check_transforms() -> None:
    """Refuses torch.func, whose transforms do not see what backward does with rows."""
    if is_compiling():
        return
    peek = getattr(getattr(torch._C, "_functorch", None), "peek_interpreter_stack", None)
    if peek is not None and peek() is not None:
        raise NotImplementedError(
            "cane.torch: CaneOutput does not work under torch.func (grad, vmap, jvp); "
            "take loss.backward()"
        )


def check_classes(name: str, classes: Tensor, is_valid: Tensor, rule: str) -> None:
    """Refuses classes that are not valid: an error on the CPU, and an assertion of the device where
    an answer would have to be waited for."""
    if is_compiling() or classes.device.type != "cpu":
        torch._assert_async(is_valid.all())
    elif not is_valid.all():
        raise IndexError(f"{name}: {int(classes[~is_valid][0])} is {rule}")
