// The list of a batch and its loss written as plainly as possible, in double: for each example the
// shared classes, then its slots one by one, the label in the place of one of them. No columns, no
// multiplicities, no matrices, no threads. Tests compare step/ with it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/types.h"

namespace cane::testing {

struct PlainList {
  std::vector<ClassId> shared;  // ascending
  bool shares_labels = false;
  std::vector<ClassId> drawn;
  std::vector<double> q;  // of every class; only those of drawn classes and labels outside are read
};

struct PlainTerm {
  ClassId class_id;
  double offset;
  bool is_label;
};

/// What stands in the softmax of an example.
inline std::vector<PlainTerm> plain_terms(const PlainList& list, std::span<const ClassId> labels,
                                          std::size_t example) {
  const ClassId label = labels[example];
  std::vector<ClassId> shared = list.shared;
  if (list.shares_labels) {
    for (std::size_t e = 0; e < labels.size(); ++e) {
      if (e != example) shared.push_back(labels[e]);
    }
    std::sort(shared.begin(), shared.end());
    shared.erase(std::unique(shared.begin(), shared.end()), shared.end());
  }
  const auto is_shared = [&](ClassId k) {
    return std::find(shared.begin(), shared.end(), k) != shared.end();
  };
  std::vector<PlainTerm> terms;
  for (const ClassId k : shared) terms.push_back({k, 0.0, k == label});
  const std::size_t slots = list.drawn.size();
  for (std::size_t slot = 0; slot < slots; ++slot) {
    const bool takes = !is_shared(label) && slot == example % slots;
    const ClassId k = takes ? label : list.drawn[slot];
    if (is_shared(k)) continue;
    terms.push_back({k, -std::log(static_cast<double>(slots) * list.q[k]), takes});
  }
  return terms;
}

struct PlainResult {
  double loss = 0.0;             // weighted, relative to the score of the label as it is
  std::vector<double> gradient;  // in the score of each class
};

/// `scores`: of every class, for one example.
inline PlainResult plain_loss(std::span<const PlainTerm> terms, std::span<const double> scores) {
  PlainResult result;
  result.gradient.assign(scores.size(), 0.0);
  double sum = 0.0;
  for (const PlainTerm& term : terms) sum += std::exp(scores[term.class_id] + term.offset);
  for (const PlainTerm& term : terms) {
    const double share = std::exp(scores[term.class_id] + term.offset) / sum;
    result.gradient[term.class_id] += share - (term.is_label ? 1.0 : 0.0);
    if (term.is_label) result.loss = std::log(sum) - scores[term.class_id];
  }
  return result;
}

}  // namespace cane::testing
