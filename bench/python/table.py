"""The results as Markdown."""

from peers.table import BUSY, NONE, row, seconds, size

from . import verdicts

HEAD = ("learner", "accuracy", "training", "of processors", "prediction", "peak memory",
        "before training", "runs")
WORDS = {True: "yes", False: "no", None: "not measured"}


def _cell(value, shown):
    return NONE if value is None else shown(value)


def _cells(result):
    done = result["accuracy"] is not None
    reached = f"{100 * result['accuracy']:.2f}%" if done else result["problem"] or "not run yet"
    named = f"{result['name']} ({result['version']})" if result["version"] else result["name"]
    taken = _cell(result["seconds"], seconds)
    of_processors = _cell(result["processor_seconds"], seconds)
    stopped_after = verdicts.stopped_training(result)
    if taken == NONE and stopped_after is not None:
        taken = f"over {seconds(stopped_after)}"
        of_processors = f"over {seconds(result['runs'][-1]['process_processor_seconds'])}"
    return (named, reached, taken, of_processors, _cell(result["predict_seconds"], seconds),
            _cell(result["peak_bytes"], size), _cell(result["bytes_before"], size),
            str(len(result["runs"])))


def _contest(title, results):
    lines = ["", f"## {title}", "", row(HEAD), row(["---"] * len(HEAD))]
    lines += [row(_cells(result)) for result in results]
    for result in results:
        if result["problem"] and result["accuracy"] is not None:
            lines += ["", f"{result['name']}, last run: {result['problem']}."]
        if not result["converged"]:
            lines += ["", f"{result['name']} warned that it had not converged at its last step."]
    return lines


def _fit(record):
    if record["problem"]:
        return []
    seconds, rest = ({name: verdicts.spread(value, ".2f") for name, value in record[key].items()}
                     for key in ("seconds", "seconds_besides_epochs"))
    accuracy, same = record["accuracy"], record["same_answers_deterministic"]
    return ["", f"Training of ALOI, {record['epochs']} epochs, seconds, and the part of them that was "
            f"not spent in epochs: `cane train` from its cache {seconds['cache']}, "
            f"{rest['cache']}; of the same matrix {seconds['matrix']}, {rest['matrix']}; `fit` of "
            f"an array {seconds['python']}, {rest['python']}. `fit` / `cane train` of the same "
            f"matrix: {verdicts.spread(record['ratio']['matrix'], '.3f')}, of processor seconds "
            f"{record['processor_ratio']['matrix']['median']:.3f}. Accuracy: "
            f"{', '.join(f'{100 * accuracy[name]:.2f}%' for name in seconds)} in this order. "
            "With `deterministic`, the same answers as the program: "
            f"{100 * same['mapped']:.2f}% of a matrix that stays in its file, "
            f"{100 * same['in_memory']:.2f}% of one in memory, whose rows get another order."]


def _predict(record):
    if record["problem"]:
        return []
    alone, together = record["alone_microseconds"], record["together_seconds"]
    return ["", f"A row alone: {verdicts.spread(alone['python'], '.1f')} microseconds in Python, "
            f"{verdicts.spread(alone['library'], '.1f')} in C++. {record['rows']:,} rows, the best "
            f"{record['best']}: {verdicts.spread(together['python'], '.3f')} s and "
            f"{verdicts.spread(together['library'], '.3f')} s."]


def _import(record):
    return ["", f"`import cane` {verdicts.spread(record['package'], '.3f')} s, `from cane import "
            f"Classifier` {verdicts.spread(record['estimator'], '.3f')} s."]


def markdown(results):
    facts = results["facts"]
    lines = ["# The Python package", "",
             f"{facts['threads']} threads on {facts['processor']}; Python {facts['python']}; "
             f"{facts['rounds']} rounds in turns, medians (least to most); at most "
             f"{facts['limit']:g} s for each learner.", ""]
    if facts["load_before"] > BUSY:
        lines += [f"The machine did other work, too (a load of {facts['load_before']:.1f} before "
                  "the first run): trust the times of processors more than the others.", ""]
    head = ("what", "asked", "measured", "holds")
    lines += [row(head), row(["---"] * len(head))]
    lines += [row((found.what, found.asked, found.measured, WORDS[found.holds]))
              for found in verdicts.of(results)]
    for key, part in (("fit", _fit), ("predict", _predict), ("import", _import)):
        if key in results:
            lines += part(results[key])
    if "aloi" in results:
        lines += _contest("ALOI: dense rows of float32, as they are", results["aloi"])
    if "clinc150" in results:
        lines += _contest("CLINC150: texts; but for cane, TfidfVectorizer(ngram_range=(1, 2))",
                          results["clinc150"])
    if "aloi" in results or "clinc150" in results:
        lines += ["", "Training and prediction are `fit` and `predict`, with the vectorizer where "
                  "there is one, without loading modules and reading files, and without what it "
                  "takes to make the sparse rows, or the file, that a label-tree learner asks for. "
                  "Memory is that of the whole process, and what of it there was before training."]
    return "\n".join(lines) + "\n"
