// What is compared: the methods and heads of the paper by its own names, and ours beside them.
#include <fmt/format.h>

#include "cli/cane/paper/plan_parts.h"

namespace cane::cli::paper {
namespace {

std::string pair_of(std::uint32_t candidates, const SetRow& set) {
  return fmt::format("{}+{}", candidates, set.shortlist - candidates);
}

std::string cane_label(std::uint32_t candidates, const SetRow& set) {
  return fmt::format("CANE-{}v{}", candidates, set.shortlist - candidates);
}

std::vector<Series> series_without_candidates(const SetRow& set) {
  return {{"Softmax", "softmax"},
          {fmt::format("NCE-{}", set.shortlist), fmt::format("nce:{}", set.shortlist)},
          {fmt::format("BlackOut-{}", set.shortlist), fmt::format("blackout:{}", set.shortlist)}};
}

}  // namespace

std::vector<std::uint32_t> candidate_counts(const SetRow& set) {
  if (set.shortlist == 10) return {1, 5, 9};
  return {5, 10, 15};
}

std::vector<Series> figure_2_series(const SetRow& set) {
  std::vector<Series> series = series_without_candidates(set);
  for (const std::uint32_t candidates : candidate_counts(set)) {
    series.push_back(
        {cane_label(candidates, set),
         fmt::format("cane:beam:{}:arity=10:noise=uniform", pair_of(candidates, set))});
  }
  return series;
}

std::vector<Series> our_series(const SetRow& set) {
  std::vector<Series> series = series_without_candidates(set);
  for (const std::uint32_t candidates : candidate_counts(set)) {
    series.push_back(
        {cane_label(candidates, set), fmt::format("cane:beam:{}", pair_of(candidates, set))});
  }
  const std::uint32_t most = candidate_counts(set).back();
  series.push_back(
      {cane_label(most, set) + ", our selector", fmt::format("cane:{}", pair_of(most, set))});
  series.push_back({"what cane picks", "auto"});
  return series;
}

std::vector<Series> tree_series() {
  return {{"HSM", "hsm:arity=10"},
          {"Filter Tree", "filter-tree"},
          {"LOMTree", "lomtree"},
          {"Recall Tree", "recall-tree"}};
}

std::vector<Head> language_heads() {
  std::vector<Head> heads = {{"Softmax", "softmax", 0}, {"CANE, our selection", "cane", 0}};
  for (const std::uint32_t classes : kShortlists) {
    heads.push_back({fmt::format("NCE-{}", classes),
                     fmt::format("nce:noises={}:own-noises=true", classes), classes});
    heads.push_back({fmt::format("BlackOut-{}", classes),
                     fmt::format("blackout:noises={}:own-noises=true", classes), classes});
    heads.push_back({fmt::format("CANE-{}", classes),
                     fmt::format("cane:select=subset:candidates={}:noises=1:noise=uniform:"
                                 "own-noises=true",
                                 classes),
                     classes});
  }
  return heads;
}

std::vector<RateRow> rate_rows() {
  std::vector<RateRow> rows;
  for (const char* rate : {"0.0001", "0.001", "0.01", "0.05"}) {
    rows.push_back({fmt::format("as they are, rate {}", rate),
                    fmt::format("lr={}:start=zero:schedule=constant", rate), "none", 1});
  }
  for (const char* rate : {"4", "8", "16"}) {
    rows.push_back(
        {fmt::format("scaled to length one, from the class means, rate {} falling", rate),
         fmt::format("lr={}:start=means:schedule=linear", rate), "l2", 5});
  }
  return rows;
}

std::vector<Effect> effects() {
  const std::string tree = "select=beam:noise=uniform";
  return {{"as the paper trains", tree + ":arity=10"},
          {"an update after every example", tree + ":arity=10:batch=1"},
          {"from the class means", tree + ":arity=10:start=means"},
          {"rate falls linearly", tree + ":arity=10:schedule=linear"},
          {"arity 32", tree + ":arity=32"},
          {"a row for every class, scored exactly", "select=exact:noise=uniform"},
          {"candidates and noises from a proposal", "select=narrow"},
          {"our rate, start and schedule", tree + ":arity=10:start=means:schedule=linear", true}};
}

std::string family_of(const Head& head) {
  return head.classes == 0 ? head.label : head.label.substr(0, head.label.find('-'));
}

std::vector<std::string> cost_methods() {
  return {"softmax",     "nce:10",  "blackout:10",   "neg:10",          "css:10",
          "ove:10",      "hsm",     "cane:beam:9+1", "cane:narrow:9+1", "cane:centroid:9+1",
          "filter-tree", "lomtree", "recall-tree"};
}

}  // namespace cane::cli::paper
