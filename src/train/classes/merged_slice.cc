#include "train/classes/merged_slice.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/noise/uniform_noise.h"
#include "search/proposal.h"
#include "search/selector.h"
#include "step/encoded_rows.h"

namespace cane {

void MergedSlice::merge(const ShardReports& reports, std::size_t first,
                        std::span<const ClassId> labels, std::span<const std::uint32_t> numbers,
                        const CounterRandom& random) {
  first_ = first;
  numbers_ = numbers;
  epoch_ = random.epoch();
  clear();
  masses_.clear();
  factors_.clear();
  questions_.clear();
  places_.clear();
  for (std::size_t e = 0; e < labels.size(); ++e) {
    choose(reports, e);
    weigh(reports, e);
    Entry& entry = entries_.back();
    const auto found = std::ranges::find(classes(e), labels[e]);
    entry.label_at = static_cast<std::uint32_t>(found - classes(e).begin());
    const bool is_missed = entry.label_at == entry.candidates && labels[e] != kUnknownClass;
    if (is_missed) {
      entry.noises = 1;
    } else if (entry.candidates < shards_.classes() && labels[e] != kUnknownClass) {
      entry.noises = rules_.noises;
    }
    classes_.resize(classes_.size() + entry.noises);
    scores_.resize(classes_.size());
    log_q_.resize(log_q_.size() + entry.noises);
    if (is_missed) {
      const std::uint32_t shard = shards_.shard_of(labels[e]);
      const ShardHead& head = reports.head(shard, first + e);
      set_noise(static_cast<std::uint32_t>(e), 0, shard,
                {labels[e], head.label_score, head.label_mass});
      continue;
    }
    for (std::uint32_t noise = 0; noise < entry.noises; ++noise) {
      draw(reports, noise, numbers[e], random);
    }
  }
}

// The lists are sorted as the candidates are, so those that are chosen stand first in each.
void MergedSlice::choose(const ShardReports& reports, std::size_t example) {
  Entry& entry = entries_.emplace_back(next_entry(0, 0));
  chosen_.assign(shards_.count(), 0);
  excluded_.clear();
  while (entry.candidates < rules_.candidates) {
    const ListedClass* best = nullptr;
    std::uint32_t from = 0;
    for (std::uint32_t shard = 0; shard < shards_.count(); ++shard) {
      const auto list = reports.list(shard, first_ + example);
      if (chosen_[shard] == list.size()) continue;
      const ListedClass& next = list[chosen_[shard]];
      if (best != nullptr && !is_better(Candidate{next.class_id, next.score},
                                        Candidate{best->class_id, best->score})) {
        continue;
      }
      best = &next;
      from = shard;
    }
    if (best == nullptr) break;
    ++chosen_[from];
    ++entry.candidates;
    classes_.push_back(best->class_id);
    scores_.push_back(best->score);
    excluded_.push_back(best->class_id);
  }
  std::sort(excluded_.begin(), excluded_.end());
}

void MergedSlice::weigh(const ShardReports& reports, std::size_t example) {
  Masses& masses = masses_.emplace_back();
  float base = -std::numeric_limits<float>::infinity();
  for (std::uint32_t shard = 0; shard < shards_.count(); ++shard) {
    base = std::max(base, reports.head(shard, first_ + example).base);
  }
  for (std::uint32_t shard = 0; shard < shards_.count(); ++shard) {
    const ShardHead& head = reports.head(shard, first_ + example);
    const double factor = std::exp(static_cast<double>(head.base) - static_cast<double>(base));
    factors_.push_back(factor);
    double outside = head.rest;
    double inside = 0.0;
    const auto list = reports.list(shard, first_ + example);
    for (std::size_t i = 0; i < list.size(); ++i) {
      (i < chosen_[shard] ? inside : outside) += static_cast<double>(list[i].mass);
    }
    masses.outside += factor * outside;
    masses.total += factor * (outside + inside);
  }
}

void MergedSlice::draw(const ShardReports& reports, std::uint32_t noise, std::uint32_t number,
                       const CounterRandom& random) {
  const Entry& entry = entries_.back();
  if (masses_.back().outside <= kMinOutsideMass ||
      random.uniform(number, 2 * noise) < kNoiseFloor) {
    const std::uint64_t outside = shards_.classes() - entry.candidates;
    draw_uniformly(reports, noise,
                   class_outside(random.below(outside, number, 2 * noise + 1), excluded_));
  } else {
    draw_by_mass(reports, noise, random.uniform(number, 2 * noise + 1));
  }
}

void MergedSlice::draw_uniformly(const ShardReports& reports, std::uint32_t noise,
                                 ClassId class_id) {
  const auto example = static_cast<std::uint32_t>(entries_.size() - 1);
  const std::uint32_t shard = shards_.shard_of(class_id);
  for (const ListedClass& listed : reports.list(shard, first_ + example)) {
    if (listed.class_id == class_id) return set_noise(example, noise, shard, listed);
  }
  ask(noise, shard, class_id, 0.0);
}

void MergedSlice::draw_by_mass(const ShardReports& reports, std::uint32_t noise, double u) {
  const auto example = static_cast<std::uint32_t>(entries_.size() - 1);
  double position = u * masses_.back().outside;
  std::uint32_t last = 0;  // last shard with unlisted mass, used if rounding runs past the end
  const ListedClass* last_listed = nullptr;
  for (std::uint32_t shard = 0; shard < shards_.count(); ++shard) {
    const double factor = factors_[example * shards_.count() + shard];
    const auto list = reports.list(shard, first_ + example);
    for (const ListedClass& listed : list.subspan(chosen_[shard])) {
      const double mass = factor * static_cast<double>(listed.mass);
      if (position < mass) return set_noise(example, noise, shard, listed);
      if (mass > 0.0) last_listed = &listed;
      position -= mass;
    }
    const double rest = factor * reports.head(shard, first_ + example).rest;
    if (position < rest) return ask(noise, shard, kUnknownClass, position / rest);
    if (rest > 0.0) {
      last = shard;
      last_listed = nullptr;
    }
    position -= rest;
  }
  if (last_listed != nullptr) {
    return set_noise(example, noise, shards_.shard_of(last_listed->class_id), *last_listed);
  }
  ask(noise, last, kUnknownClass, 0.0);
}

void MergedSlice::ask(std::uint32_t noise, std::uint32_t shard, ClassId class_id, double u) {
  const auto example = static_cast<std::uint32_t>(entries_.size() - 1);
  questions_.push_back({example, shard, class_id, u});
  places_.push_back({example, noise});
}

void MergedSlice::set_answer(std::size_t question, const ListedClass& answer) {
  set_noise(places_[question].example, places_[question].noise, questions_[question].shard, answer);
}

void MergedSlice::set_noise(std::uint32_t example, std::uint32_t noise, std::uint32_t shard,
                            const ListedClass& drawn) {
  const Entry& entry = entries_[example];
  const double factor = factors_[example * shards_.count() + shard];
  const double uniform = 1.0 / static_cast<double>(shards_.classes() - entry.candidates);
  classes_[entry.start + entry.candidates + noise] = drawn.class_id;
  scores_[entry.start + entry.candidates + noise] = drawn.score;
  const double outside = masses_[example].outside;
  log_q_[entry.log_q_start + noise] = log_floored(
      outside > kMinOutsideMass, factor * static_cast<double>(drawn.mass) / outside, uniform);
}

StepStats MergedSlice::differentiate(const DatasetView& data, std::span<const RowView> rows) {
  StepStats stats = Shortlists::differentiate(rules_.method, false, shards_.classes(), data,
                                              numbers_, rows, rules_.clip);
  stats.rows_scored = classes_.size();
  if (rules_.least_step == 0.0F) return stats;
  const CounterRandom random(rules_.seed, RandomPurpose::kExamples, epoch_);
  for (std::size_t e = 0; e < size(); ++e) {
    float longest = 0.0F;
    for (const float value : steps(e).gradient) {
      longest = std::max(longest, std::abs(entries_[e].step_scale * value));
    }
    entries_[e].step_scale *= kept_factor(random, numbers_[e], longest, rules_.least_step);
  }
  return stats;
}

}  // namespace cane
