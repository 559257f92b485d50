"""CANE as an output layer of a PyTorch model with thousands to millions of classes.

`CaneOutput` is used like `torch.nn.AdaptiveLogSoftmaxWithLoss`. The module is plain PyTorch, 1.13 or
later: nothing of it is compiled, and it runs wherever PyTorch does. `import cane` does not import it.
"""

try:
    import torch as _torch  # noqa: F401
except ImportError as error:
    raise ImportError("cane.torch needs PyTorch: pip install torch") from error

from cane.torch._clusters import cluster_order
from cane.torch.class_parallel import ClassParallelOutput
from cane.torch.distributed import data_parallel
from cane.torch.layer import CaneOutput, OutputAndLoss
from cane.torch.model_file import load_model, save_model
from cane.torch.optim import RowAdagrad, RowAdam, RowSGD

__all__ = [
    "CaneOutput",
    "ClassParallelOutput",
    "OutputAndLoss",
    "RowAdagrad",
    "RowAdam",
    "RowSGD",
    "cluster_order",
    "data_parallel",
    "load_model",
    "save_model",
]
