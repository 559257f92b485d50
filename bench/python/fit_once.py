"""A process that trains the package on an array once and prints what it took, as JSON.

fit_once.py DATA EPOCHS THREADS MODEL [deterministic] [mapped]: rows and labels are the files of
prepare.numbers(); MODEL is the file that the model goes to; `mapped`: the array stays in its file.
"""

import json
import sys
import time

import numpy
from cane import Classifier


def main(data, epochs, threads, model, *words):
    rows = numpy.load(f"{data}/X_train.npy", mmap_mode="r" if "mapped" in words else None)
    labels = numpy.load(f"{data}/y_train.npy")
    estimator = Classifier(random_state=1, epochs=int(epochs), n_jobs=int(threads),
                           deterministic="deterministic" in words)
    wall, processor = time.perf_counter(), time.process_time()
    estimator.fit(rows, labels)
    record = {"seconds": time.perf_counter() - wall,
            "processor_seconds": time.process_time() - processor,
            "seconds_of_epochs": estimator.history_[-1]["seconds"]}
    estimator.save(model)
    print(json.dumps(record))


main(*sys.argv[1:])
