#include "train/steps/shortlist_batch.h"

#include <algorithm>
#include <utility>

#include "core/objective/pooled_noises.h"
#include "methods/with_objective.h"

namespace cane {
namespace {

// Random numbers that a source of noises takes for a noise; the next one is free.
constexpr std::uint32_t kDrawsPerNoise = 2;

}  // namespace

ShortlistBatch::ShortlistBatch(const ShortlistParts& parts, ShortlistSources sources)
    : parts_(parts), rows_(*parts.data, parts.encoder), sources_(std::move(sources)) {}

void ShortlistBatch::fill(std::span<const std::uint32_t> examples, const CounterRandom& random) {
  const auto rows = rows_.gather(examples, parts_.scorer->prefers_dense_rows(), random);
  clear();
  if (sources_.selector == nullptr) {
    to_score_.clear();
    for (const std::uint32_t number : examples) add_label(number, random);
    scores_.resize(classes_.size());
    rows_scored_ = parts_.scorer->score(rows, to_score_, scratch_, scores_.data());
    return;
  }
  sources_.selector->select(rows, {random, examples}, parts_.beam, parts_.candidates, selection_);
  rows_scored_ = selection_.rows_scored;
  for (std::uint32_t e = 0; e < examples.size(); ++e) add_selected(e, examples[e], random);
  score_noises();
}

void ShortlistBatch::add_label(std::uint32_t number, const CounterRandom& random) {
  const ClassId label = parts_.data->label(number);
  Entry entry = next_entry(1, 0);
  excluded_.clear();
  classes_.push_back(label);
  if (parts_.exclude_label) {
    excluded_.push_back(label);
  } else {
    entry.label_log_q = sources_.noise->log_q(0, label, excluded_);
  }
  sample(0, number, random, parts_.noises, entry);
  const auto listed = std::span(classes_).last(entry.size());
  to_score_.classes.insert(to_score_.classes.end(), listed.begin(), listed.end());
  to_score_.end_list();
  entries_.push_back(entry);
}

void ShortlistBatch::add_selected(std::uint32_t example, std::uint32_t number,
                                  const CounterRandom& random) {
  const ClassId label = parts_.data->label(number);
  const auto candidates = selection_.of(example);
  const auto count = static_cast<std::uint32_t>(candidates.size());
  Entry entry = next_entry(count, count);
  excluded_.clear();
  for (std::uint32_t k = 0; k < candidates.size(); ++k) {
    if (candidates[k].class_id == label) entry.label_at = k;
    classes_.push_back(candidates[k].class_id);
    scores_.push_back(candidates[k].score);
    excluded_.push_back(candidates[k].class_id);
  }
  std::sort(excluded_.begin(), excluded_.end());
  if (entry.label_at == entry.candidates) {
    // Its place among them does not matter, as the others are drawn alike.
    if (parts_.pools_noises && parts_.noises > 1) {
      sample(example, number, random, parts_.noises - 1, entry);
    }
    entry.label_at += entry.noises++;
    classes_.push_back(label);
    log_q_.push_back(sources_.noise->log_q(example, label, excluded_));
  } else if (entry.candidates < parts_.scorer->classes() &&
             !skips_noises(example, number, random, entry)) {
    sample(example, number, random, parts_.noises, entry);
  }
  scores_.resize(classes_.size());
  entries_.push_back(entry);
}

bool ShortlistBatch::skips_noises(std::uint32_t example, std::uint32_t number,
                                  const CounterRandom& random, Entry& entry) {
  const float probability = sources_.noise->draw_probability(example, excluded_);
  entry.noise_weight = 1.0F / probability;
  return probability < 1.0F &&
         random.uniform(number, kDrawsPerNoise * parts_.noises) >= static_cast<double>(probability);
}

void ShortlistBatch::sample(std::uint32_t example, std::uint32_t number,
                            const CounterRandom& random, std::uint32_t noises, Entry& entry) {
  entry.noises = noises;
  classes_.resize(classes_.size() + entry.noises);
  log_q_.resize(log_q_.size() + entry.noises);
  sources_.noise->draw(example, excluded_, random, number, std::span(classes_).last(entry.noises),
                       std::span(log_q_).last(entry.noises));
}

void ShortlistBatch::score_noises() {
  to_score_.clear();
  for (const Entry& entry : entries_) {
    const auto noises = std::span(classes_).subspan(entry.start + entry.candidates, entry.noises);
    to_score_.classes.insert(to_score_.classes.end(), noises.begin(), noises.end());
    to_score_.end_list();
  }
  new_scores_.resize(to_score_.classes.size());
  rows_scored_ += sources_.selector->score(rows(), to_score_, new_scores_.data());
  const float* next = new_scores_.data();
  for (const Entry& entry : entries_) {
    std::copy_n(next, entry.noises, scores_.begin() + entry.start + entry.candidates);
    next += entry.noises;
  }
}

StepStats ShortlistBatch::differentiate(Method method, std::span<const std::uint32_t> examples,
                                        float clip) {
  gradient_.resize(classes_.size());
  const auto differentiate = [&](const auto& objective) {
    StepStats totals;
    totals.examples = size();
    totals.rows_scored = rows_scored_;
    for (std::size_t e = 0; e < size(); ++e) {
      Entry& entry = entries_[e];
      const Shortlist list = shortlist(e);
      const auto gradient = std::span(gradient_).subspan(entry.start, entry.size());
      const float loss = objective(list, scores(e).data(), gradient.data());
      const float weight = parts_.data->weight(examples[e]);
      totals.loss += static_cast<double>(weight) * static_cast<double>(loss);
      totals.weight += static_cast<double>(weight);
      totals.covered += list.label_at < list.candidates ? 1 : 0;
      entry.step_scale = clipped_weight(weight, clip, gradient, rows()[e]);
    }
    return totals;
  };
  return parts_.pools_noises ? differentiate(PooledNoises())
                             : with_objective(method, parts_.scorer->classes(), differentiate);
}

}  // namespace cane
