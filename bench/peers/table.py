"""The results as Markdown and as JSON."""

import dataclasses
import json

HEAD = ("system", "P@1", "training", "of processors", "prediction", "peak memory", "model",
        "threads")
NONE = "–"
# Beyond this another program has run at the same time, and slowed down what was measured.
BUSY = 0.5


def seconds(value):
    return f"{value:.1f} s" if value >= 10 else f"{value:.2f} s"


def wall(measurement):
    return NONE if measurement is None or measurement.problem else seconds(measurement.seconds)


def size(count):
    """In units of a thousand."""
    if count is None:
        return NONE
    for unit, factor in (("GB", 1e9), ("MB", 1e6)):
        if count >= factor:
            value = count / factor
            return f"{value:.3g} {unit}" if value < 100 else f"{value:,.0f} {unit}"
    return f"{count / 1e3:.3g} kB"


def cells(result):
    reached = f"{100 * result.accuracy:.2f}%" if result.accuracy is not None else result.problem
    ran = result.train is not None
    return (f"{result.system} `{result.setting}`", reached, wall(result.train),
            seconds(result.train.processor_seconds) if ran else NONE, wall(result.predict),
            size(result.train.peak_bytes) if ran else NONE,
            size(result.model_bytes),
            f"{result.train_threads}, {result.predict_threads}" if ran else NONE)


def row(entries):
    return "| " + " | ".join(entry.replace("|", "\\|") for entry in entries) + " |"


def markdown(facts, results):
    lines = [
        f"# {facts['data']}: cane and its peers", "",
        f"{facts['train_examples']:,} examples to train, {facts['test_examples']:,} to test, "
        f"{facts['classes']:,} classes; {facts['threads']} threads on {facts['processor']}; "
        f"at most {facts['limit']:g} s for training, and as much for prediction.", "",
        row(HEAD), row(["---"] * len(HEAD))]
    lines += [row(cells(result)) for result in results]
    lines += [
        "", "Times are of the whole process: reading text and model, writing the result; "
        "`of processors` is what the training took of all cores together. Memory is that of "
        "training, model is the size of what prediction reads. Threads: of training and of "
        "prediction, as many as the program can use.", ""]
    if facts["load_before"] > BUSY:
        lines += [f"The machine did other work, too (a load of {facts['load_before']:.1f} before "
                  "the first run): trust the times of processors more than the others.", ""]
    prepared = sorted({result.system for result in results
                       if result.train and not result.reads_data_as_it_is})
    if prepared:
        lines += [f"{', '.join(prepared)}: read sparse rows of length one that were made of the "
                  "data before, which is not in the times.", ""]
    lines += ["fastText and Vowpal Wabbit learn from the examples in the order of the file, which "
              "was made random first; the others do that themselves, or need no order.", ""]
    lines += ["## Versions and commands", ""]
    for result in results:
        lines.append(f"- {result.system} {result.version or '(none)'} `{result.setting}`")
        lines += [f"  - `{command}`" for command in (result.train_command, result.predict_command)
                  if command]
    return "\n".join(lines) + "\n"


def as_json(facts, results):
    whole = {**facts, "results": [dataclasses.asdict(result) for result in results]}
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"
