"""Puts the report together: claims first, then the paper's figures and tables, what differs, and every
run that there is no figure of."""

from . import page, series, tables, theorems, verdicts
from .figures import Figures, duration, percent
from .plan import is_chosen
from .sets import BY_KEY

TITLE = "Candidates vs. Noises Estimation, regenerated"
DIFFERENCES = [
    ["updates", "after every example", "gradients of 16 examples at the same weights, applied one after the other",
     "a block of weights is read once for several examples; see the effects"],
    ["threads", "one; several for softmax", "the same number for all methods", "times can be compared"],
    ["tree", "hierarchical k-means, then a balanced 10-ary tree", "the same; full nodes at the bottom, few at the top",
     "most rows are scored in full blocks"],
    ["scores along a path", "no biases", "a bias for every edge", "as flat rows have one for every class"],
    ["start", "not said", "zero", "the usual"],
    ["features", "not said; LIBSVM has ALOI raw and scaled", "as in the files, and scaled as well (Table 3)",
     "the grid of rates fits the scaled ones"],
    ["noises", "a set, how it is drawn not said", "drawn independently, with replacement", "their mean is unbiased"],
    ["LOMTree, Recall Tree, Filter Tree", "Vowpal Wabbit's, tuned", "our own, tuned, and Vowpal Wabbit's, untuned",
     "one interface; they can be compared"],
    ["Filter Tree", "labels in the order of their numbers", "the same, and on the clustered tree of CANE",
     "the tree matters more than the method"],
    ["language models: optimiser", "not said; rates 0.025, 0.05, 0.1, 0.2", "Adam at a fiftieth of these rates",
     "our AdaGrad begins its sums at 0 and takes the mean loss, with which the lowest of these rates is too high"],
    ["language models: dropout, clipping", "not said", "dropout 0.3, gradients cut at norm 1", "our defaults"],
    ["language models: streams", "not said", "64 streams of 20 words a step; biases begin at the log frequencies",
     "our defaults"],
    ["language models: noises of NCE and BlackOut", "not said", "each token has its own", "the literal reading; shared "
     "by a mini-batch they get worse from 80 to 40"],
    ["language models: curves", "test text after every epoch", "validation text, and test text at the best epoch",
     "nothing is chosen by test data"],
    ["language models: tuning", "for every setting", "with 80 classes on the first text, for all", "time"],
    ["Gutenberg", "50M words, 116K seen 10 times", "what is there; the 116,000 most frequent", "a shorter text has fewer "
     "words seen 10 times"],
    ["Penn Treebank", "12K words seen 5 times", "the most frequent 12,000 seen 5 times", "the usual text has 9,999 words"],
]


def claims(figures, classifications, texts):
    made = page.Section("claims", "Claims of the paper")
    made.say("Each verdict is computed from the figures below, from the end of the curves. With several seeds a difference "
             "in accuracy or time counts from two of its standard errors, with one in accuracy from half a point; of "
             "perplexity from 3%. A claim whose runs were not made is listed as not run.")
    found = verdicts.Claims(figures)
    for one in classifications:
        found.classification(one)
    for one in texts:
        found.language(one)
    found.theorems()
    made.table("claims", ["claim", "verdict", "here", "paper"], found.rows)
    return made


def data(sets, absent):
    made = page.Section("data", "Data")
    made.table("data", ["set", "examples", "test examples", "classes", "features"],
               [[one.heading, f"{one.examples:,}", f"{one.tests:,}", f"{one.classes:,}", f"{one.features:,}"]
                if not one.row.words else [one.heading, "text", "", f"{one.row.words:,} words at most", ""] for one in sets])
    stand_ins = {one.row.paper: one for one in sets if one.row.paper}
    for row in [BY_KEY[key] for key in stand_ins] + list(absent):
        stands_in = stand_ins.get(row.key)
        made.say(f"{row.title} is absent" + (f", and {stands_in.row.title} stands in for it ({stands_in.row.where})"
                                             if stands_in else "") + f". To be had as: {row.where}.")
    return made


def differences(figures, classifications):
    made = page.Section("differences", "What differs from the paper")
    made.table("differences", ["what", "the paper", "here", "why"], DIFFERENCES)
    rows = [[f"{found.heading}: {effect.label}",
             *(percent(figures.value(found.key, "effects", effect.label, name)) for name in ("accuracy", "coverage")),
             duration(figures.value(found.key, "effects", effect.label, "train_seconds"))]
            for found in classifications for effect in series.effects()
            if figures.rows(found.key, "effects", effect.label)]
    if rows:
        made.say("Their effects: CANE with the most candidates in the paper's setting, each row with one thing done "
                 "another way.")
        made.table("differences-effects", ["data: setting", "accuracy", "coverage", "training"], rows)
    return made


def accounts(figures, plan):
    """Every run of the plan: measured, or why not. Returns the rows of what is missing and the counts."""
    reasons, measured = {}, 0
    for run in plan:
        reason = figures.reason(run)
        measured += not reason
        if reason:
            key, kind, label, _ = run.id.split("/")
            reasons.setdefault((key, kind, reason), []).append(label)
    rows = [[f"{key}/{kind}", len(labels), ", ".join(dict.fromkeys(labels)), reason]
            for (key, kind, reason), labels in reasons.items()]
    return rows, measured


def not_run(figures, plan, only, effort):
    made = page.Section("not-run", "What was not run, and why")
    rows, measured = accounts(figures, plan)
    made.say(f"{measured} of the {len(plan)} runs of this plan have figures, {len(plan) - measured} have none"
             + (f"; parts that were not asked for are no part of it (`--only {','.join(only)}`)." if only else "."))
    made.say(effort.sentence())
    made.table("not-run", ["set / kind", "runs", "of", "why"], rows)
    return made


def runs_section(figures, plan):
    """The commands of all runs; the short report has those of one run of each kind."""
    made, all_lines, examples = page.Section("runs", "Commands"), [], {}
    for run in plan:
        record = figures.done[run.id].record if run.id in figures.done else {}
        if record:
            lines = [f"# {run.id}: {record['seconds']:.1f} s, {record['started']}, {record['machine']}, "
                     f"{record['commit']}", *record["commands"]]
            all_lines += lines
            examples.setdefault(tuple(run.id.split("/")[:2]), [lines[0].partition(":")[0], *lines[1:]])
    made.commands(all_lines, [line for lines in examples.values() for line in lines])
    return made


def sections(setting, plan, done):
    figures, only = Figures(plan, done, setting.commit), setting.options.only
    classifications = [one for one in setting.sets if not one.row.words]
    texts = [one for one in setting.sets if one.row.words]

    def serving(part, one=None):
        wanted = f"{part}/{one.key}" if one else part
        return any(of == wanted or of.startswith(wanted + "/") for run in plan for of in run.parts if is_chosen(only, of))

    made = [claims(figures, classifications, texts), data(setting.sets, setting.absent)]
    made += [tables.figure_2(figures, one) for one in classifications if serving("figure2", one)]
    for part, build in (("table1", tables.table_1), ("table2", tables.table_2), ("table3", tables.table_3)):
        if serving(part):
            made.append(build(figures, [one for one in classifications if serving(part, one)]))
    made += [tables.figure_3(figures, one, setting.effort, setting.options.on_gpu) for one in texts if serving("figure3", one)]
    checks = figures.first("theorems", "theory", "all").tables
    made += [theorems.section(checks)] if checks else []
    made += [tables.cost(figures, setting.effort)] if serving("cost") else []
    made += [tables.protocol(figures, classifications), differences(figures, classifications),
             not_run(figures, plan, only, setting.effort), runs_section(figures, plan)]
    return made, figures


def write(setting, plan, done):
    made, figures = sections(setting, plan, done)
    older = "".join(f" {count} of the runs were made by {commit}." for commit, count in figures.older().items())
    machines = sorted({one.record["machine"] for one in done.values() if one.record}) or [setting.machine]
    conditions = (f"The experiments of Han, Huang and Zhang (ICML 2018) by `cane` {setting.version} ({setting.commit}) on "
                  f"{' and '.join(machines)}, {setting.written}, by `{setting.command}`.{older}{' ' * bool(setting.note)}{setting.note}")
    page.write(setting.out, TITLE, conditions, made,
               {"written_by": "bench/paper", "version": setting.version, "commit": setting.commit,
                "machine": " and ".join(machines), "written": setting.written, "command": setting.command})
