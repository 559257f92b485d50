"""napkinXC's probabilistic tree: train DATA MODEL THREADS | predict DATA MODEL THREADS OUT."""

import sys

from napkinxc.models import PLT

verb, data, folder, threads, *rest = sys.argv[1:]
model = PLT(folder, threads=int(threads), seed=1)
if verb == "train":
    model.fit_on_file(data)
else:
    model.load()
    with open(rest[0], "w", encoding="ascii") as out:
        for labels in model.predict_for_file(data, top_k=1):
            out.write(f"{labels[0] if labels else ''}\n")
