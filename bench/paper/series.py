"""What is compared: the methods and heads of the paper by its own names, and ours, as
`cane compare` and `cane-lm compare` take them."""

import collections

Series = collections.namedtuple("Series", "label spec")
Head = collections.namedtuple("Head", "label spec classes")  # classes of a token: 40, 60, 80; 0: has none
Effect = collections.namedtuple("Effect", "label options has_own_rate", defaults=(False,))

RATES = ("0.0001", "0.001", "0.01", "0.05", "0.1", "0.5", "1")  # the paper's grid
LM_RATES = ("0.0005", "0.001", "0.002", "0.004")
LM_POWERS = ("0", "0.25", "0.5", "0.75", "1")
SHORTLISTS = (80, 60, 40)


def candidate_counts(row):
    return (1, 5, 9) if row.shortlist == 10 else (5, 10, 15)


def pair(candidates, row):
    return f"{candidates}+{row.shortlist - candidates}"


def cane_label(candidates, row):
    return f"CANE-{candidates}v{row.shortlist - candidates}"


def samplers(row):
    return [Series("Softmax", "softmax"), Series(f"NCE-{row.shortlist}", f"nce:{row.shortlist}"),
            Series(f"BlackOut-{row.shortlist}", f"blackout:{row.shortlist}")]


def paper_cane(row):
    return [Series(cane_label(count, row), f"cane:beam:{pair(count, row)}:arity=10:noise=uniform")
            for count in candidate_counts(row)]


def figure_2(row):
    return samplers(row) + paper_cane(row)


def ours(row):
    """The same with our defaults, then our own selector and what `cane train` picks by itself."""
    most = candidate_counts(row)[-1]
    return samplers(row) + [Series(cane_label(count, row), f"cane:beam:{pair(count, row)}")
                            for count in candidate_counts(row)] + [
        Series(f"{cane_label(most, row)}, our selector", f"cane:{pair(most, row)}"),
        Series("what cane picks", "auto")]


# Vowpal Wabbit's Filter Tree has its labels in the order of their numbers, ours in that of clusters.
IN_ORDER = "Filter Tree, labels in order"
TREES = (Series("HSM", "hsm:arity=10"), Series("Filter Tree", "filter-tree"),
         Series(IN_ORDER, "filter-tree:tree=balanced"), Series("LOMTree", "lomtree"),
         Series("Recall Tree", "recall-tree"))


def name_in_paper(tree):
    """The row of the paper's Table 2 that it repeats; empty: none. The clustered Filter Tree is our own."""
    return {"Filter Tree": "", IN_ORDER: "Filter Tree"}.get(tree.label, tree.label)


def is_online_tree(spec):
    return spec.startswith(("filter-tree", "lomtree", "recall-tree"))


# The paper's steps multiply the rows themselves.
PLAIN_STEPS = ["--whiten", "off"]


def options_of(spec):
    """The same method for `cane tune`: "nce:10" is --method nce --noises 10."""
    method, *parts = spec.split(":")
    words = ["--method", method]
    for part in parts:
        if "=" in part:
            name, _, value = part.partition("=")
            words += [f"--{name}", value]
        elif "+" in part:
            candidates, _, noises = part.partition("+")
            words += ["--candidates", candidates, "--noises", noises]
        else:
            words += ["--noises" if part.isdigit() else "--select", part]
    return words


def plain_features(found):
    """Options that leave features as they are: words between blanks, counted, not scaled."""
    words = ["--normalize", "none"]
    if found.train.endswith(".npy"):
        return words
    words += ["--weights", "count"]
    if ".ft" in found.train:
        words += ["--tokenizer", "spaces", "--word-ngrams", "1", "--char-ngrams", "none"]
    return words


def protocol(found, spec):
    """The paper does not scale its features, begins anywhere (zero here) and keeps its rate."""
    own = [] if is_online_tree(spec) else ["--start", "zero", "--optimizer", "sgd"]
    return ["--schedule", "constant", *own, *plain_features(found)]


def effects():
    """Deviations from the paper's setting of CANE with the most candidates, one at a time."""
    tree = "select=beam:noise=uniform"
    return [Effect("as the paper trains", f"{tree}:arity=10"),
            Effect("an update after every example", f"{tree}:arity=10:batch=1"),
            Effect("from the class means", f"{tree}:arity=10:start=means"),
            Effect("rate falls linearly", f"{tree}:arity=10:schedule=linear"),
            Effect("arity 32", f"{tree}:arity=32"),
            Effect("a row for every class, scored exactly", "select=exact:noise=uniform"),
            Effect("candidates and noises from a proposal", "select=narrow"),
            Effect("our rate, start and schedule", f"{tree}:arity=10:start=means:schedule=linear", True)]


def heads():
    made = [Head("Softmax", "softmax", 0), Head("CANE, our selection", "cane", 0)]
    for count in reversed(SHORTLISTS):
        made += [Head(f"NCE-{count}", f"nce:noises={count}:own-noises=true", count),
                 Head(f"BlackOut-{count}", f"blackout:noises={count}:own-noises=true", count),
                 Head(f"CANE-{count}", f"cane:select=subset:candidates={count}:noises=1:noise=uniform:"
                      "own-noises=true", count)]
    return made


def family(head):
    """Whose rate it takes: "NCE" of "NCE-40"."""
    return head.label.partition("-")[0] if head.classes else head.label


COST_METHODS = ("softmax", "nce:10", "blackout:10", "neg:10", "css:10", "ove:10", "hsm", "cane:beam:9+1",
                "cane:narrow:9+1", "cane:centroid:9+1", "filter-tree", "lomtree", "recall-tree")
