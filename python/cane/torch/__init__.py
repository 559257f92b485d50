"""CANE as an output layer of a PyTorch model with thousands to millions of classes.

`CaneOutput` is used like `torch.nn.AdaptiveLogSoftmaxWithLoss`. The module needs PyTorch and the
operators that were compiled for its version; `import cane` needs neither.
"""

from cane.torch import _library

_library.load()

from cane.torch import _shapes  # noqa: E402

_shapes.register()

from cane.torch._clusters import cluster_order  # noqa: E402
from cane.torch._row_gradients import RowGradients  # noqa: E402
from cane.torch.class_parallel import ClassParallelOutput  # noqa: E402
from cane.torch.distributed import data_parallel  # noqa: E402
from cane.torch.layer import CaneOutput, OutputAndLoss  # noqa: E402
from cane.torch.model_file import load_model, save_model  # noqa: E402
from cane.torch.optim import RowAdagrad, RowAdam, RowSGD  # noqa: E402

__all__ = [
    "CaneOutput",
    "ClassParallelOutput",
    "OutputAndLoss",
    "RowAdagrad",
    "RowAdam",
    "RowGradients",
    "RowSGD",
    "cluster_order",
    "data_parallel",
    "load_model",
    "save_model",
]
