"""The data sets: images of characters if the folder has them, and synthetic classes."""

import dataclasses
import pathlib
import subprocess


@dataclasses.dataclass
class DataSet:
    name: str
    folder: pathlib.Path  # with X_train.npy, y_train.npy, X_test.npy and y_test.npy
    epochs: int
    batch: int  # of PyTorch's softmax
    options: str  # of cane, in addition to what all have
    synth: str = ""  # how it is made, if it is synthetic
    speed: float = 1.0  # times as fast as PyTorch that cane is to be

    def make(self, program):
        """Makes a synthetic set unless it is there."""
        if self.synth and not (self.folder / "X_train.npy").exists():
            subprocess.run([program, "synth", self.folder, *self.synth.split()], check=True,
                           capture_output=True)


def find_sets(data, work):
    """The sets that are measured on a GPU."""
    sets = []
    if (data / "hangul" / "X_train.npy").exists():
        sets.append(DataSet("Hangul", data / "hangul", 10, 512, "--method softmax"))
    sets.append(DataSet("synth, 20,000 classes", work / "synth-20000", 5, 512, "--method softmax",
                        "--classes 20000 --examples 1000000 --test-examples 20000 --dim 128 "
                        "--noise 0.4"))
    sets.append(DataSet("synth, 1,000,000 classes", work / "synth-1000000", 2, 1024,
                        "--method cane --select tree",
                        "--classes 1000000 --examples 4000000 --test-examples 20000 --dim 128 "
                        "--noise 0.3", speed=10.0))
    return sets


def toy_sets(work):
    """The same with few classes and rows."""
    synth = "--examples 4000 --test-examples 1000 --dim 16 --noise 0.3"
    return [DataSet("toy, all classes", work / "toy-40", 3, 32, "--method softmax",
                    f"--classes 40 {synth}"),
            DataSet("toy, candidates", work / "toy-100", 3, 32, "--method cane --select tree",
                    f"--classes 100 {synth}")]
