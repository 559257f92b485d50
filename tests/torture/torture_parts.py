"""What tools/torture and tools/torture-ranks share."""

import hashlib
import pathlib
import subprocess

FAULTS = pathlib.Path(__file__).resolve().parent / "faults.c"


def digest(path):
    """Of the bytes of a file; None if there is none."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None


def build_faults():
    """The library that disturbs writes, built in this folder; its path."""
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", "-o", "faults.so", str(FAULTS), "-ldl"], check=True)
    return str(pathlib.Path("faults.so").resolve())


def temporary_files():
    """Those that a program left in this folder or below it."""
    return [str(path) for path in pathlib.Path(".").rglob("*.tmp.*")]
