#include "learn/gradient_slice.h"

#include <algorithm>
#include <cmath>

#include "objective/candidates_vs_noises.h"

namespace cane {
namespace {

// The length of the gradient of an example: of its part in the scores times that of (x, 1).
float gradient_length(std::span<const float> score_gradient, const RowView& row) {
  float scores = 0.0F;
  for (const float value : score_gradient) scores += value * value;
  float features = 1.0F;
  for (std::uint32_t i = 0; i < row.count; ++i) features += row.values[i] * row.values[i];
  return std::sqrt(scores * features);
}

}  // namespace

SliceTotals GradientSlice::compute(std::span<const std::uint32_t> examples,
                                   const CounterRandom& random) {
  const auto rows = rows_.gather(*parts_.data, examples);
  parts_.selector->search(rows, parts_.candidates, parts_.candidates, search_, selection_);
  make_shortlists(examples, random);
  SliceTotals totals;
  totals.rows_scored = selection_.rows_scored + score_noises();
  totals.examples = examples.size();

  gradient_.clear();
  for (std::uint32_t e = 0; e < examples.size(); ++e) {
    const Entry& entry = entries_[e];
    const Shortlist shortlist = {entry.candidates, entry.noises, entry.label_at,
                                 log_q_.data() + entry.log_q_start};
    score_gradient_.resize(shortlist.size());
    const float loss =
        CandidatesVsNoises()(shortlist, scores_.data() + entry.start, score_gradient_.data());
    const float weight = parts_.data->weight(examples[e]);
    totals.loss += static_cast<double>(weight) * static_cast<double>(loss);
    totals.weight += static_cast<double>(weight);
    totals.covered += entry.label_at < entry.candidates ? 1 : 0;
    float scale = weight;
    if (parts_.clip > 0.0F) {
      const float length = weight * gradient_length(score_gradient_, rows[e]);
      if (length > parts_.clip) scale *= parts_.clip / length;
    }
    gradient_.add(e, std::span(classes_).subspan(entry.start, shortlist.size()), score_gradient_,
                  scale);
  }
  return totals;
}

void GradientSlice::make_shortlists(std::span<const std::uint32_t> examples,
                                    const CounterRandom& random) {
  entries_.clear();
  classes_.clear();
  scores_.clear();
  log_q_.clear();
  requests_.clear();
  for (std::uint32_t e = 0; e < examples.size(); ++e) {
    const ClassId label = parts_.data->label(examples[e]);
    const auto candidates = selection_.of(e);
    Entry entry = {static_cast<std::uint32_t>(classes_.size()),
                   static_cast<std::uint32_t>(candidates.size()), 0, 0,
                   static_cast<std::uint32_t>(log_q_.size())};
    entry.label_at = entry.candidates;
    excluded_.clear();
    for (std::uint32_t k = 0; k < candidates.size(); ++k) {
      if (candidates[k].label == label) entry.label_at = k;
      classes_.push_back(candidates[k].label);
      scores_.push_back(candidates[k].score);
      excluded_.push_back(candidates[k].label);
    }
    std::sort(excluded_.begin(), excluded_.end());
    if (entry.label_at == entry.candidates) {
      entry.noises = 1;
      classes_.push_back(label);
      log_q_.push_back(parts_.noise->log_probability(label, excluded_));
    } else if (parts_.noises > 0 && candidates.size() < parts_.classes) {
      entry.noises = parts_.noises;
      classes_.resize(classes_.size() + entry.noises);
      log_q_.resize(log_q_.size() + entry.noises);
      parts_.noise->sample(excluded_, random, examples[e], std::span(classes_).last(entry.noises),
                           std::span(log_q_).last(entry.noises));
    }
    scores_.resize(classes_.size());
    for (std::uint32_t j = 0; j < entry.noises; ++j) {
      requests_.push_back({e, classes_[entry.start + entry.candidates + j]});
    }
    entries_.push_back(entry);
  }
}

std::uint64_t GradientSlice::score_noises() {
  request_scores_.resize(requests_.size());
  const std::uint64_t rows_scored =
      parts_.selector->score_classes(rows_.rows(), requests_, search_, request_scores_.data());
  const float* next = request_scores_.data();
  for (const Entry& entry : entries_) {
    std::copy_n(next, entry.noises, scores_.begin() + entry.start + entry.candidates);
    next += entry.noises;
  }
  return rows_scored;
}

}  // namespace cane
