#include "learn/shortlist_batch.h"

#include <algorithm>

namespace cane {

void ShortlistBatch::fill(std::span<const std::uint32_t> examples, const CounterRandom& random) {
  const auto rows = rows_.gather(*parts_.data, examples);
  parts_.selector->search(rows, parts_.candidates, parts_.candidates, search_, selection_);
  rows_scored_ = selection_.rows_scored;
  entries_.clear();
  classes_.clear();
  scores_.clear();
  log_q_.clear();
  requests_.clear();
  for (std::uint32_t e = 0; e < examples.size(); ++e) add(e, examples[e], random);
  score_noises();
}

void ShortlistBatch::add(std::uint32_t example, std::uint32_t number, const CounterRandom& random) {
  const ClassId label = parts_.data->label(number);
  const auto candidates = selection_.of(example);
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
  } else if (entry.candidates < parts_.classes) {
    entry.noises = parts_.noises;
    classes_.resize(classes_.size() + entry.noises);
    log_q_.resize(log_q_.size() + entry.noises);
    parts_.noise->sample(excluded_, random, number, std::span(classes_).last(entry.noises),
                         std::span(log_q_).last(entry.noises));
  }
  scores_.resize(classes_.size());
  for (std::uint32_t j = 0; j < entry.noises; ++j) {
    requests_.push_back({example, classes_[entry.start + entry.candidates + j]});
  }
  entries_.push_back(entry);
}

void ShortlistBatch::score_noises() {
  request_scores_.resize(requests_.size());
  rows_scored_ +=
      parts_.selector->score_classes(rows_.rows(), requests_, search_, request_scores_.data());
  const float* next = request_scores_.data();
  for (const Entry& entry : entries_) {
    std::copy_n(next, entry.noises, scores_.begin() + entry.start + entry.candidates);
    next += entry.noises;
  }
}

}  // namespace cane
