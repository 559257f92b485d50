"""The data sets and the settings that what `auto` picks is compared with."""

import dataclasses
import pathlib
import subprocess

WITHOUT_ENCODER = (
    "--method softmax",
    "--method cane --select narrow",
    "--method cane --select narrow --rank 32 --candidates 20",
    "--method cane --select beam",
    "--method cane --select beam --candidates 20",
    "--method cane --select tree --rank 32 --candidates 20",
    "--method cane --select tree --rank 16",
    "--method cane --select hsm",
    "--method nce --noises 50",
    "--method hsm",
    "--method hsm --start zero",
)
WITH_ENCODER = (
    "--method softmax",
    "--method hsm",
    "--method hsm --lr 0.25",
    "--method nce --noises 50",
    "--method nce --noises 50 --lr 0.1",
    "--method blackout --noises 50",
    "--method cane --select narrow --candidates 20",
    "--method cane --select hsm",
)


@dataclasses.dataclass
class DataSet:
    name: str
    train: pathlib.Path
    test: pathlib.Path
    options: str  # of reading and training, the same for all settings
    settings: tuple = WITHOUT_ENCODER
    synth: str = ""  # how it is made, if it is synthetic

    def make(self, program):
        """Makes a synthetic set unless it is there."""
        if self.synth and not self.train.exists():
            subprocess.run([program, "synth", self.train.parent, *self.synth.split()], check=True,
                           capture_output=True)


def find_sets(data, work):
    """The sets of a data folder that exist, and the synthetic ones."""
    known = (
        ("ALOI", "aloi/train.svm.gz", "aloi/test.svm.gz", "--normalize l2", WITHOUT_ENCODER),
        ("CLINC150, 2-grams", "clinc150/train.ft.gz", "clinc150/test.ft.gz", "--word-ngrams 2",
         WITHOUT_ENCODER),
        ("CLINC150, char n-grams", "clinc150/train.ft.gz", "clinc150/test.ft.gz",
         "--char-ngrams 3-5", WITHOUT_ENCODER),
        ("Hangul", "hangul/X_train.npy", "hangul/X_test.npy", "--epochs 5", WITHOUT_ENCODER),
        ("next word", "next/train.ft", "next/test.ft",
         "--epochs 3 --min-count 300 --normalize l2", WITHOUT_ENCODER),
        ("next word, bag", "next/train.ft", "next/test.ft",
         "--epochs 3 --min-count 3 --encoder bag", WITH_ENCODER),
        ("Debian paths, bag", "paths/train.ft", "paths/test.ft",
         "--epochs 1 --min-count 3 --encoder bag", WITH_ENCODER),
    )
    sets = []
    for name, train, test, options, settings in known:
        if (data / train).exists():
            sets.append(DataSet(name, data / train, data / test, options, settings))
    for classes, examples in ((1000, 100_000), (10_000, 300_000), (100_000, 1_000_000)):
        for kind, more in (("balanced", ""), ("Zipf", " --zipf 1")):
            folder = work / f"synth-{classes}-{kind}"
            sets.append(DataSet(f"synth {classes:,}, {kind}", folder / "X_train.npy",
                                folder / "X_test.npy", "--epochs 5", synth=f"--classes {classes} "
                                f"--examples {examples} --dim 64{more}"))
    return sets
