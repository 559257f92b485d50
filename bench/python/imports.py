"""How long `import cane` takes in a new process, and the estimator, which needs scikit-learn."""

import subprocess

from . import summary

STATEMENTS = {"package": "import cane", "estimator": "from cane import Classifier"}
CODE = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start)"


def seconds(python, statement):
    done = subprocess.run([python, "-P", "-c", CODE.format(statement)], stdout=subprocess.PIPE,
                          text=True, check=True)
    return float(done.stdout)


def run(options):
    """After one round that brings the files into memory."""
    taken = {name: [] for name in STATEMENTS}
    for _ in range(options.rounds + 1):
        for name, statement in STATEMENTS.items():
            taken[name].append(seconds(options.python, statement))
    return {name: summary.of(values[1:]) for name, values in taken.items()}
