// The claims of the paper with a verdict each, from the figures alone.
#include <fmt/format.h>

#include <algorithm>

#include "cli/cane/paper/plan_parts.h"
#include "cli/cane/paper/published.h"
#include "cli/cane/paper/sections.h"
#include "cli/cane/paper/theory_results.h"

namespace cane::cli::paper {
namespace {

using Figure = std::optional<Averaged>;

class Claims {
 public:
  Claims(const Setting& setting, const Lookup& lookup) : setting_(setting), lookup_(lookup) {}

  Section section() {
    for (const FoundSet* set : sets_of(setting_, Task::kClassification)) add_classification(*set);
    for (const FoundSet* set : sets_of(setting_, Task::kLanguageModel)) add_language(*set);
    if (is_chosen(setting_.options.only, "theorems")) add_theorems();
    Section section;
    section.id = "claims";
    section.heading = "Claims of the paper";
    section.say(
        "Each verdict is computed from the figures below. A difference in accuracy counts where it "
        "is larger than half a point, or, with several seeds, larger than their spread.");
    section.blocks.emplace_back(std::move(table_));
    return section;
  }

 private:
  void add(const std::string& claim, const std::string& paper, const std::string& here,
           const std::string& verdict) {
    table_.rows.push_back({claim, verdict, here, paper});
  }

  Figure value(const FoundSet& set, const char* kind, const std::string& label,
               const char* name) const {
    return lookup_.value(set.row->key, kind, label, name);
  }

  // How sure it is that one accuracy is above another.
  static std::string above(const Figure& more, const Figure& less) {
    const double noise = std::max(more->spread, less->spread);
    const bool has_seeds = more->seeds > 1 && less->seeds > 1;
    const double least = has_seeds ? noise : 0.005;
    if (more->mean > less->mean + least) return "holds";
    return more->mean < less->mean - least ? "does not hold" : "no clear difference";
  }

  static std::string all_of(const std::vector<std::string>& verdicts) {
    const auto count = static_cast<std::size_t>(std::ranges::count(verdicts, "holds"));
    if (count == verdicts.size()) return "holds";
    return count == 0 && std::ranges::count(verdicts, "does not hold") > 0 ? "does not hold"
                                                                           : "holds in part";
  }

  void add_classification(const FoundSet& set) {
    const std::vector<Series> series = figure_2_series(*set.row);
    const std::string& nce = series[1].label;
    const std::string& blackout = series[2].label;
    const std::string& few = series[3].label;
    const std::string& some = series[4].label;
    const std::string& most = series[5].label;
    add_order(set, few, some, most);
    add_against_samplers(set, most, nce, blackout);
    add_convergence(set, most, nce, blackout);
    add_times(set, most, nce);
    add_against_softmax(set, most);
    add_trees(set, most);
    add_coverage(set);
  }

  void add_order(const FoundSet& set, const std::string& few, const std::string& some,
                 const std::string& most) {
    const Figure a = value(set, "paper", most, "accuracy");
    const Figure b = value(set, "paper", some, "accuracy");
    const Figure c = value(set, "paper", few, "accuracy");
    if (!a || !b || !c) return;
    add(fmt::format("{}: more candidates, fewer noises, more accuracy", set.heading()),
        fmt::format("{} > {} > {}", most, some, few),
        fmt::format("{}, {}, {}", percent_text(a), percent_text(b), percent_text(c)),
        all_of({above(a, b), above(b, c)}));
  }

  void add_against_samplers(const FoundSet& set, const std::string& most, const std::string& nce,
                            const std::string& blackout) {
    for (const char* kind : {"paper", "ours"}) {
      const Figure cane = value(set, kind, most, "accuracy");
      const Figure one = value(set, kind, nce, "accuracy");
      const Figure other = value(set, kind, blackout, "accuracy");
      if (!cane || !one || !other) continue;
      const bool is_ours = std::string_view(kind) == "ours";
      add(fmt::format("{}: {} is more accurate than {} and {}{}", set.heading(), most, nce,
                      blackout, is_ours ? ", our defaults" : ""),
          "higher curve",
          fmt::format("{} against {} and {}", percent_text(cane), percent_text(one),
                      percent_text(other)),
          all_of({above(cane, one), above(cane, other)}));
    }
  }

  // Epochs until the accuracy that the better sampler ends with.
  void add_convergence(const FoundSet& set, const std::string& most, const std::string& nce,
                       const std::string& blackout) {
    const auto cane = lookup_.curve(set.row->key, "paper", most, "accuracy");
    const auto one = lookup_.curve(set.row->key, "paper", nce, "accuracy");
    const auto other = lookup_.curve(set.row->key, "paper", blackout, "accuracy");
    if (cane.empty() || one.empty() || other.empty()) return;
    const double wanted = std::max(one.back().measures.front(), other.back().measures.front());
    const auto reached = std::ranges::find_if(
        cane, [&](const CurvePoint& point) { return point.measures.front() >= wanted; });
    add(fmt::format("{}: {} converges faster by epoch", set.heading(), most), "faster",
        reached == cane.end()
            ? fmt::format("does not reach the {} of the better sampler", percent_text(wanted))
            : fmt::format("reaches the final {} of the better sampler after {} of {} epochs",
                          percent_text(wanted), reached->epoch, one.back().epoch),
        reached != cane.end() && reached->epoch < one.back().epoch ? "holds" : "does not hold");
  }

  void add_times(const FoundSet& set, const std::string& most, const std::string& nce) {
    const Figure cane = value(set, "paper", most, "test_seconds");
    const Figure sampler = value(set, "paper", nce, "test_seconds");
    const auto paper_cane = published(kTable1, set.row->paper_key, most);
    const auto paper_nce = published(kTable1, set.row->paper_key, nce);
    if (cane && sampler) {
      const double ratio = sampler->mean / cane->mean;
      add(fmt::format("{}: {} predicts much faster than {}", set.heading(), most, nce),
          paper_cane && paper_nce ? fmt::format("{} times", ratio_text(paper_nce->test_seconds /
                                                                       paper_cane->test_seconds))
                                  : "",
          fmt::format("{} times", ratio_text(ratio)),
          ratio >= 2.0 ? "holds" : (ratio >= 1.0 ? "holds in part" : "does not hold"));
    }
    const Figure training = value(set, "paper", most, "train_seconds");
    const Figure softmax = value(set, "paper", "Softmax", "train_seconds");
    const auto paper_softmax = published(kTable1, set.row->paper_key, "Softmax");
    if (training && softmax) {
      const double ratio = softmax->mean / training->mean;
      add(fmt::format("{}: Softmax takes longer to train than {}", set.heading(), most),
          paper_cane && paper_softmax
              ? fmt::format("{} times",
                            ratio_text(paper_softmax->train_seconds / paper_cane->train_seconds))
              : "",
          fmt::format("{} times{}", ratio_text(ratio), softmax->is_estimated ? " (estimated)" : ""),
          ratio > 1.1 ? "holds" : "does not hold");
    }
  }

  void add_against_softmax(const FoundSet& set, const std::string& most) {
    const Figure softmax = value(set, "ours", "Softmax", "accuracy");
    const Figure ours = value(set, "ours", most + ", our selector", "accuracy");
    if (!softmax || !ours) return;
    add(fmt::format("{}: CANE approaches the softmax; our selector", set.heading()), "approaches",
        fmt::format("{} against {}", percent_text(ours), percent_text(softmax)),
        ours->mean >= softmax->mean - 0.01 ? "holds" : "does not hold");
  }

  void add_trees(const FoundSet& set, const std::string& most) {
    const Figure cane = value(set, "paper", most, "accuracy");
    std::vector<std::string> verdicts;
    std::string paper;
    std::string here;
    for (const Series& tree : tree_series()) {
      const Figure accuracy = value(set, "trees", tree.label, "accuracy");
      const auto printed = published(kTable2, set.row->paper_key, tree.label);
      if (!cane || !accuracy) continue;
      verdicts.push_back(above(cane, accuracy));
      here += fmt::format("{}{} {}", here.empty() ? "" : ", ", tree.label, percent_text(accuracy));
      if (printed) {
        paper += fmt::format("{}{} {}", paper.empty() ? "" : ", ", tree.label,
                             percent_text(printed->accuracy));
      }
    }
    if (verdicts.empty()) return;
    add(fmt::format("{}: {} is more accurate than the tree classifiers", set.heading(), most),
        paper, fmt::format("{}; CANE {}", here, percent_text(cane)), all_of(verdicts));
  }

  void add_coverage(const FoundSet& set) {
    if (set.row->is_stand_in()) return;
    std::vector<std::string> verdicts;
    std::string paper;
    std::string here;
    for (const std::uint32_t candidates : candidate_counts(*set.row)) {
      const std::string label =
          fmt::format("CANE-{}v{}", candidates, set.row->shortlist - candidates);
      const Figure coverage = value(set, "paper", label, "coverage");
      const auto printed = published_coverage(set.row->paper_key, candidates);
      if (!coverage || !printed) continue;
      here += fmt::format("{}{}", here.empty() ? "" : ", ", percent_text(coverage));
      paper += fmt::format("{}{}", paper.empty() ? "" : ", ", percent_text(*printed));
      verdicts.emplace_back(coverage->mean >= *printed - 0.005 ? "holds" : "does not hold");
    }
    if (verdicts.empty()) return;
    add(fmt::format("{}: coverage of the candidates", set.heading()), paper,
        here + best_coverage(set), all_of(verdicts));
  }

  // Half an epoch of tuning does not pick the rate that covers the most in the end.
  std::string best_coverage(const FoundSet& set) const {
    const std::vector<RateRow> rows = rate_rows();
    const RateRow* best = nullptr;
    double most = 0.0;
    for (const RateRow& row : rows) {
      const Figure coverage = value(set, "rates", row.label, "coverage");
      if (!coverage || coverage->mean <= most) continue;
      best = &row;
      most = coverage->mean;
    }
    if (best == nullptr) return "";
    return fmt::format("; the most candidates, features {}: {}, accuracy {}", best->label,
                       percent_text(most),
                       percent_text(value(set, "rates", best->label, "accuracy")));
  }

  void add_language(const FoundSet& set) {
    const auto perplexity = [&](const std::string& label) {
      return value(set, "lm", label, "test_perplexity");
    };
    const Figure softmax = perplexity("Softmax");
    const Figure ours = perplexity("CANE, our selection");
    for (const std::uint32_t classes : {kShortlists[2], kShortlists[1], kShortlists[0]}) {
      const Figure nce = perplexity(fmt::format("NCE-{}", classes));
      const Figure blackout = perplexity(fmt::format("BlackOut-{}", classes));
      const Figure cane = perplexity(fmt::format("CANE-{}", classes));
      if (!nce || !blackout) continue;
      const auto verdict = [&](const Figure& own) {
        const int below = (own->mean < nce->mean ? 1 : 0) + (own->mean < blackout->mean ? 1 : 0);
        return below == 2 ? "holds" : (below == 1 ? "holds in part" : "does not hold");
      };
      const std::string others =
          fmt::format("NCE {}, BlackOut {}", perplexity_text(nce), perplexity_text(blackout));
      const std::string paper = "below both";
      if (cane) {
        add(fmt::format("{} ({}): perplexity of CANE, selected as the text says", set.heading(),
                        classes),
            paper, fmt::format("{} against {}", perplexity_text(cane), others), verdict(cane));
      }
      if (ours) {
        add(fmt::format("{} ({}): perplexity of CANE, our selection", set.heading(), classes),
            paper, fmt::format("{} against {}", perplexity_text(ours), others), verdict(ours));
      }
    }
    const Figure paper_cane = perplexity("CANE-80");
    const auto near = [&](const char* name, const Figure& own) {
      if (!own || !softmax) return;
      add(fmt::format("{}: perplexity of CANE near that of the softmax, {}", set.heading(), name),
          "approaching it",
          fmt::format("{} against {}", perplexity_text(own), perplexity_text(softmax)),
          own->mean <= 1.05 * softmax->mean ? "holds" : "does not hold");
    };
    near("selected as the text says, 80", paper_cane);
    near("our selection", ours);
  }

  void add_theorems() {
    const TheoryResults& results = theory_results();
    double largest = 0.0;
    double pooled = 0.0;
    for (const theory::ConsistencyRow& row : results.consistency) {
      largest = std::max(largest, row.cane_gradient_norm);
      pooled = std::max(pooled, row.pooled_gradient_norm);
    }
    constexpr double kRounding = 1e-6;
    add("Theorem 1: consistent for any candidates and any noise law", "gradient zero",
        fmt::format("at most {:.0e}; pooled noises up to {:.0e}", largest, pooled),
        largest < kRounding ? "holds" : "does not hold");
    const theory::VarianceRow& first = results.variance.front();
    const theory::VarianceRow& last = results.variance.back();
    const double gap = last.one_noise.simulated / last.likelihood.simulated;
    add("Corollary 1: variance goes to that of maximum likelihood", "in the limit",
        fmt::format(
            "{:.0f} with {} of the probability covered, {:.0f} with all; maximum likelihood "
            "{:.0f}",
            first.one_noise.simulated, percent_text(first.covered), last.one_noise.simulated,
            last.likelihood.simulated),
        gap < 1.01 ? "holds" : "does not hold");
    constexpr double kSurely = 5.0;  // standard errors
    add("Theorem 3: the covariance, one noise drawn for each example", "its formula",
        fmt::format("largest deviation {:.1f} standard errors",
                    results.one_noise.theorem_deviation),
        results.one_noise.theorem_deviation < kSurely ? "holds" : "does not hold");
    add("Theorem 3: the covariance of Eq. (obj), all noises weighted", "the same formula",
        fmt::format("{:.1f} standard errors off; it is an upper bound, see Theorems",
                    results.all_noises.theorem_deviation),
        results.all_noises.theorem_deviation < kSurely ? "holds" : "does not hold");
    double shared = 0.0;
    std::uint64_t edges = 0;
    for (const theory::SharedEdgesRow& row : results.shared_edges) {
      shared = std::max(shared, row.largest_shared_gradient);
      edges += row.shared;
    }
    add("Proposition 1: edges on every path need no update", "gradient zero",
        fmt::format("at most {:.0e} over {} such edges", shared, edges),
        shared < kRounding ? "holds" : "does not hold");
  }

  const Setting& setting_;
  const Lookup& lookup_;
  Table table_ = {"claims", {"claim", "verdict", "here", "paper"}, {}};
};

}  // namespace

Section claims_section(const Setting& setting, const Lookup& lookup) {
  return Claims(setting, lookup).section();
}

}  // namespace cane::cli::paper
