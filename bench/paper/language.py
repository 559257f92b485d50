"""Figure 3: the language models, by `cane-lm compare`. The grid of the paper has the rates 0.025 to
0.2 of an optimiser that it does not name; these are a fiftieth of them, for Adam (docs/paper.md)."""

from . import effort as costs
from . import series

SMALL_TEXT = 2_000_000  # tokens
TUNED = series.SHORTLISTS[0]


def amount(row, effort, on_gpu):
    """Epochs, tokens to train on and to measure on; 0 tokens: all. Without a GPU a long text is cut."""
    small = row.tokens < SMALL_TEXT
    if on_gpu:
        return max(round(effort.share * (12 if small else 2)), 1), 0, 0
    return (1, max(round(effort.share * (900_000 if small else 500_000)), 4000),
            max(round(effort.share * (20_000 if small else 5000)), 1000))


def grid(head):
    powers = [f":noise-power={power}" for power in series.LM_POWERS]
    return [f"{head.spec}:lr={rate}{power}" for rate in series.LM_RATES
            for power in (powers if series.family(head) in ("NCE", "BlackOut") else [""])]


def command(found, heads, how, options):
    epochs, tokens, measured = how
    return ["compare", found.train, "--valid", found.valid, "--test", found.test, "--heads", heads, "--epochs",
            str(epochs), "--vocabulary", str(found.row.words), "--min-count", str(found.row.least_count),
            "--optimizer", "adam", "--decay", "1", "--patience", "0", "--tokens", str(tokens),
            "--measured-tokens", str(measured), "--device", "cuda" if options.on_gpu else "cpu", "--threads",
            str(options.threads), "--seed", str(options.seed), "--out", "{out}", "--quiet"]


def plan(found, effort, options):
    """A tuning for every family on the first text, then every head on every text."""
    texts = [one for one in found if one.row.words]
    reason = "" if "cane-lm" in options.tools else "there is no program cane-lm"
    runs, tuned = [], set()

    def add(one, kind, key, label, heads, how, parts, after=""):
        from .plan import Run, run_id
        specs = heads.split(",")
        trained, measured = (how[1] or one.row.tokens) * how[0], (how[2] or 300_000) * (how[0] + 1)
        seconds = costs.language(specs[0], one.row.words, len(specs) * trained, len(specs) * measured,
                                 options.on_gpu, options.threads)
        runs.append(Run(run_id(key, kind, label, options.seed), parts, "cane-lm",
                        [command(one, heads, how, options)], (one.train, one.valid, one.test), after, seconds,
                        reason))
        return runs[-1]

    for head in series.heads() if texts else []:
        if head.classes not in (0, TUNED):
            continue
        _, tokens, measured = amount(texts[0].row, effort, options.on_gpu)
        half = (1, tokens // 10 or texts[0].row.tokens // 2, measured // 2)
        run = add(texts[0], "lm-tune", "language", series.family(head), ",".join(grid(head)), half,
                  ("figure3", "protocol/language"))
        if effort.has_time_to_tune(run.seconds):
            tuned.add(series.family(head))
        else:
            run.left_out = run.left_out or "the budget has no time to tune it; the rate is the automatic one"
    for one in texts:
        for head in series.heads():
            is_tuned = series.family(head) in tuned
            add(one, "lm", one.key, head.label, head.spec + "{picked}" * is_tuned,
                amount(one.row, effort, options.on_gpu), (f"figure3/{one.key}",),
                f"language/lm-tune/{series.family(head)}/{options.seed}" if is_tuned else "")
    return runs
