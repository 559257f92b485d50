"""The theorems in numbers, as `cane_theorems` (tests/theory) prints them."""

from . import pictures
from .figures import percent
from .page import Section


def small(value):
    return f"{value:.1e}"


def figure(value):
    return f"{value['simulated']:.1f} ± {value['standard_error']:.1f} ({value['predicted']:.1f})"


def picture(rows):
    lines = {f"{name}, {how}": [(row["candidates"], row[key][how]) for row in rows]
             for key, name in (("one_noise", "one noise"), ("all_noises", "all noises"))
             for how in ("simulated", "predicted")}
    lines["maximum likelihood"] = [(row["candidates"], row["likelihood"]["simulated"]) for row in rows]
    return pictures.against("Variance of the estimate", {"": lines}, "candidates of 7", "trace of n times the covariance")


def section(tables):
    made = Section("theorems", "Theorems")
    made.say("Theorem 1 (consistency). Twelve classes with known probabilities; the expected gradient at s_k = log p_k "
             "is summed over all labels and all draws of noises, by the code that trains. It is zero up to the rounding "
             "of floats for any candidates and any law. Pooling the noises of an example in one logarithm moves the "
             "optimum where a label outside the candidates is the only noise, as the paper has it; where it takes the "
             "place of one of several noises, pooling is consistent, too.")
    rows = [row for row in tables["theorem1"]
            if (row["candidates"] < 11 if row["chosen"] == "most probable" else row["candidates"] == 3)]
    made.table("theorem1", ["candidates", "noise law", "noises", "CANE", "pooled", "pooled with noises",
                            "objective above 20 others by"],
               [[f"{row['candidates']} {row['chosen']}", row["law"], row["noises"], small(row["cane"]),
                 small(row["pooled"]), small(row["pooled_beside_noises"]), small(row["margin"])] for row in rows], True)
    made.say("Theorem 2 (the estimator converges). Eight classes, 14 parameters, one candidate; the mean squared error "
             "over 200 samples of n examples, and the predicted trace of the covariance over n.")
    made.table("theorem2", ["examples", "squared error", "standard error", "predicted"],
               [[f"{row['examples']:,}", f"{row['squared_error']:.4g}", f"{row['standard_error']:.2g}",
                 f"{row['predicted']:.4g}"] for row in tables["theorem2"]], True)
    made.say("Theorem 3 (asymptotic normality). All 14 x 14 covariances with one candidate. The theorem's matrix is that "
             "of the estimator that draws one noise for each example, which is also what its proof derives. For the "
             "objective of Eq. (obj), the mean over all noises, it is an upper bound: there the covariance of the "
             "gradient is M - P Cov_q(u_j / D_j), P being the probability of the candidates, and the simulation agrees. "
             "Training draws fresh noises in every epoch, so that it comes near the better one.")
    made.table("theorem3", ["estimator", "largest deviation", "relative difference", "from the theorem's formula"],
               [[check["estimator"], f"{check['deviation']:.1f} standard errors", percent(check["relative_difference"]),
                 f"{check['theorem_deviation']:.1f} standard errors"] for check in tables["theorem3"]])
    made.say("Corollary 1 (low variance). The trace of n times the covariance over 1,000 samples of 5,000 examples, with "
             "its standard error, and the prediction in brackets: it goes to that of maximum likelihood as the "
             "candidates cover the label.")
    made.picture("theorem-variance", "Variance against the number of candidates", picture(tables["corollary1"]))
    made.table("corollary1", ["candidates", "covered", "one noise drawn", "all noises weighted", "maximum likelihood"],
               [[row["candidates"], percent(row["covered"]), figure(row["one_noise"]), figure(row["all_noises"]),
                 figure(row["likelihood"])] for row in tables["corollary1"]], True)
    made.say("Proposition 1 (shared edges). Trees of 1,000 classes, 1,000 examples; edges that lie on every selected path "
             "have no gradient and are skipped in training.")
    made.table("proposition1", ["arity", "candidates", "noises", "edges on paths", "on every path",
                                "largest gradient there", "largest of all"],
               [[row["arity"], row["candidates"], row["noises"], f"{row['edges']:,}", f"{row['shared']:,}",
                 small(row["largest_shared_gradient"]), f"{row['largest_gradient']:.2f}"]
                for row in tables["proposition1"]], True)
    return made
