"""Loads the operators torch.ops.cane.*, which are compiled for one version of PyTorch."""

import pathlib

_FOLDER = pathlib.Path(__file__).parent


def _rebuild(version: str) -> str:
    return (
        f"build cane-learn from its sources where PyTorch {version} is installed: "
        "pip install --no-build-isolation --no-binary cane-learn cane-learn, with "
        "--config-settings=cmake.define.CANE_TORCH=ON to see what is missing"
    )


def load(folder: pathlib.Path = _FOLDER) -> None:
    """Loads the library; an ImportError says what to do where that is not possible."""
    try:
        import torch
    except ImportError as error:
        raise ImportError("cane.torch needs PyTorch: pip install torch") from error
    library = folder / "libcane_torch.so"
    built_for = folder / "torch_version.txt"
    if not library.exists() or not built_for.exists():
        raise ImportError(
            "this cane was built without the operators for PyTorch; " + _rebuild(torch.__version__)
        )
    version = built_for.read_text(encoding="utf-8").strip()
    if version != torch.__version__:
        raise ImportError(
            f"cane.torch was built for PyTorch {version}, but {torch.__version__} is installed; "
            f"install torch=={version}, or " + _rebuild(torch.__version__)
        )
    torch.ops.load_library(str(library))
