#include "train/steps/shortlist_batch.h"

#include <algorithm>

#include "search/proposal.h"

namespace cane {

ShortlistBatch::ShortlistBatch(const ShortlistParts& parts)
    : parts_(parts),
      rows_(*parts.data, parts.encoder),
      workspace_(parts.selector != nullptr ? parts.selector->make_workspace()
                                           : std::make_unique<Selector::Workspace>()) {}

void ShortlistBatch::fill(std::span<const std::uint32_t> examples, const CounterRandom& random) {
  const auto rows = rows_.gather(examples, parts_.scorer->prefers_dense_rows(), random);
  entries_.clear();
  classes_.clear();
  scores_.clear();
  log_q_.clear();
  if (parts_.selector == nullptr) {
    further_.clear();
    for (const std::uint32_t number : examples) add_label(number, random);
    scores_.resize(classes_.size());
    rows_scored_ = parts_.scorer->score(rows, further_, workspace_->scoring, scores_.data());
    return;
  }
  parts_.selector->select(rows, {random, examples}, parts_.beam, parts_.candidates, *workspace_,
                          selection_);
  taught_ = parts_.selector->taught(*workspace_);
  rows_scored_ = selection_.rows_scored;
  for (std::uint32_t e = 0; e < examples.size(); ++e) add_selected(e, examples[e], random);
  score_noises();
}

void ShortlistBatch::add_label(std::uint32_t number, const CounterRandom& random) {
  const ClassId label = parts_.data->label(number);
  Entry entry = {static_cast<std::uint32_t>(classes_.size()), 1,   0, 0,
                 static_cast<std::uint32_t>(log_q_.size()),   0.0F};
  excluded_.clear();
  classes_.push_back(label);
  if (parts_.exclude_label) {
    excluded_.push_back(label);
  } else {
    entry.label_log_q = parts_.noise->log_probability(label, excluded_);
  }
  sample(0, number, random, entry);
  const auto listed = std::span(classes_).last(entry.size());
  further_.classes.insert(further_.classes.end(), listed.begin(), listed.end());
  further_.end_list();
  entries_.push_back(entry);
}

void ShortlistBatch::add_selected(std::uint32_t example, std::uint32_t number,
                                  const CounterRandom& random) {
  const ClassId label = parts_.data->label(number);
  const auto candidates = selection_.of(example);
  Entry entry = {static_cast<std::uint32_t>(classes_.size()),
                 static_cast<std::uint32_t>(candidates.size()),
                 0,
                 static_cast<std::uint32_t>(candidates.size()),
                 static_cast<std::uint32_t>(log_q_.size()),
                 0.0F};
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
    log_q_.push_back(log_probability(example, label));
  } else if (entry.candidates < parts_.scorer->classes()) {
    sample(example, number, random, entry);
  }
  scores_.resize(classes_.size());
  entries_.push_back(entry);
}

void ShortlistBatch::sample(std::uint32_t example, std::uint32_t number,
                            const CounterRandom& random, Entry& entry) {
  entry.noises = parts_.noises;
  classes_.resize(classes_.size() + entry.noises);
  log_q_.resize(log_q_.size() + entry.noises);
  const auto noises = std::span(classes_).last(entry.noises);
  const auto log_q = std::span(log_q_).last(entry.noises);
  if (parts_.noise_from_proposal && taught_.proposal != nullptr) {
    taught_.proposal->sample(example, excluded_, random, number, noises, log_q, *taught_.workspace);
  } else {
    parts_.noise->sample(excluded_, random, number, noises, log_q);
  }
}

float ShortlistBatch::log_probability(std::uint32_t example, ClassId label) {
  if (parts_.noise_from_proposal && taught_.proposal != nullptr) {
    return taught_.proposal->log_probability(example, label, excluded_, *taught_.workspace);
  }
  return parts_.noise->log_probability(label, excluded_);
}

void ShortlistBatch::score_noises() {
  further_.clear();
  for (const Entry& entry : entries_) {
    const auto noises = std::span(classes_).subspan(entry.start + entry.candidates, entry.noises);
    further_.classes.insert(further_.classes.end(), noises.begin(), noises.end());
    further_.end_list();
  }
  further_scores_.resize(further_.classes.size());
  rows_scored_ += parts_.selector->score(rows(), further_, *workspace_, further_scores_.data());
  const float* next = further_scores_.data();
  for (const Entry& entry : entries_) {
    std::copy_n(next, entry.noises, scores_.begin() + entry.start + entry.candidates);
    next += entry.noises;
  }
}

}  // namespace cane
