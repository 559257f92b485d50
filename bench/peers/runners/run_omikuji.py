"""Omikuji's forest of label trees: train DATA MODEL THREADS | predict DATA MODEL THREADS OUT."""

import sys

import omikuji

verb, data, folder, threads, *rest = sys.argv[1:]
if verb == "train":
    omikuji.Model.train_on_data(data, n_threads=int(threads)).save(folder)
else:
    model = omikuji.Model.load(folder)
    model.init_prediction_thread_pool(int(threads))
    model.densify_weights()
    with open(data, encoding="ascii") as lines, open(rest[0], "w", encoding="ascii") as out:
        next(lines)
        for line in lines:
            pairs = (pair.split(":") for pair in line.split()[1:])
            best = model.predict([(int(i), float(v)) for i, v in pairs], top_k=1)
            out.write(f"{best[0][0] if best else ''}\n")
