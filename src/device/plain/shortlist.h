// Shortlists of classes (core/objective/shortlist.h): places for the candidates, then for the
// noises. With candidates from a selector, a label that is none of them takes the first place of
// the noises, alone; without a selector the label is the only candidate.
#pragma once

#include <cstdint>

#include "core/objective/shortlist.h"
#include "device/plain/entries.h"
#include "device/plain/law.h"

namespace cane::device {

struct Shortlists {
  std::uint32_t candidates = 0;
  std::uint32_t noises = 0;           // places for noises; 0 if every class is a candidate
  std::uint32_t* classes = nullptr;   // [batch, size()]; kNoRow: none
  float* log_q = nullptr;             // [batch, noises]
  float* label_log_q = nullptr;       // [batch]
  std::uint32_t* label_at = nullptr;  // [batch]

  CANE_HOST_DEVICE std::uint32_t size() const { return candidates + noises; }
  CANE_HOST_DEVICE std::uint32_t* of(std::int64_t example) const {
    return classes + static_cast<std::uint64_t>(example) * size();
  }
  CANE_HOST_DEVICE float* log_q_of(std::int64_t example) const {
    return log_q + static_cast<std::uint64_t>(example) * noises;
  }
};

/// Leaves all places of an example empty.
template <typename Lanes>
CANE_HOST_DEVICE void clear_shortlist(const Shortlists& lists, std::int64_t example,
                                      const Lanes& lanes) {
  for (std::uint32_t i = lanes.from(0); i < lists.size(); i += lanes.stride()) {
    lists.of(example)[i] = kNoRow;
  }
}

/// Finds the label among the candidates; all lanes get its place, or `candidates`.
template <typename Lanes>
CANE_HOST_DEVICE std::uint32_t find_label(const Shortlists& lists, std::int64_t example,
                                          std::uint32_t label, const Lanes& lanes) {
  std::uint32_t found = 0;  // place + 1
  for (std::uint32_t i = lanes.from(0); i < lists.candidates; i += lanes.stride()) {
    if (lists.of(example)[i] == label) found = i + 1;
  }
  found = lanes.max(found);
  return found == 0 ? lists.candidates : found - 1;
}

/// The label against noises from a fixed law. An item is an example.
struct DrawAgainstLabel {
  BatchView batch;
  Shortlists lists;
  FixedLaw law;
  bool excludes_label;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    if (!batch.has(example)) return clear_shortlist(lists, example, lanes);
    const std::uint32_t label = batch.labels[example];
    const Excluded excluded = {&label, excludes_label ? 1U : 0U};
    const double outside = law.outside(excluded);
    const CounterRandom random = batch.random();
    std::uint32_t* classes = lists.of(example);
    for (std::uint32_t j = lanes.from(0); j < lists.noises; j += lanes.stride()) {
      const double u = random.uniform(batch.numbers[example], j);
      classes[1 + j] = law.draw(excluded, outside, u);
      lists.log_q_of(example)[j] = law.log_q(classes[1 + j], outside);
    }
    if (!lanes.owns(0)) return;
    classes[0] = label;
    lists.label_at[example] = 0;
    lists.label_log_q[example] = law.log_q(label, 1.0);
  }
};

/// Completes the shortlists of candidates, which are there in ascending order, with noises from a
/// fixed law outside them. An item is an example.
struct DrawOutside {
  BatchView batch;
  Shortlists lists;
  FixedLaw law;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    if (!batch.has(example)) return clear_shortlist(lists, example, lanes);
    const std::uint32_t label = batch.labels[example];
    const std::uint32_t label_at = find_label(lists, example, label, lanes);
    const bool is_outside = label_at == lists.candidates;
    std::uint32_t* classes = lists.of(example);
    float* log_q = lists.log_q_of(example);
    const Excluded excluded = {classes, lists.candidates};
    const double outside = lists.noises > 0 ? law.outside(excluded) : 1.0;
    const CounterRandom random = batch.random();
    for (std::uint32_t j = lanes.from(0); j < lists.noises; j += lanes.stride()) {
      std::uint32_t drawn = j == 0 ? label : kNoRow;
      if (!is_outside)
        drawn = law.draw(excluded, outside, random.uniform(batch.numbers[example], j));
      classes[lists.candidates + j] = drawn;
      if (drawn != kNoRow) log_q[j] = law.log_q(drawn, outside);
    }
    if (lanes.owns(0)) lists.label_at[example] = label_at;
  }
};

/// Scores become coefficients: d loss / d score times the weight of the example.
template <typename Objective>
struct Differentiate {
  Objective objective;
  BatchView batch;
  Rows inputs;
  Shortlists lists;
  float* values;  // [batch, lists.size()]
  float clip;
  float scored;  // rows scored without the noises
  ExampleResults results;

  template <typename Lanes>
  CANE_HOST_DEVICE void operator()(std::int64_t example, const Lanes& lanes) const {
    float* own = values + static_cast<std::uint64_t>(example) * lists.size();
    if (!batch.has(example)) {
      for (std::uint32_t i = lanes.from(0); i < lists.size(); i += lanes.stride()) own[i] = 0.0F;
      if (lanes.owns(0)) results.set(example, 0.0F, false, 0.0F);
      return;
    }
    const std::uint32_t label_at = lists.label_at[example];
    const bool is_outside = label_at == lists.candidates;
    Shortlist shortlist;
    shortlist.candidates = lists.candidates;
    shortlist.noises = is_outside ? 1 : lists.noises;
    shortlist.label_at = label_at;
    shortlist.log_q = lists.log_q_of(example);
    shortlist.label_log_q = lists.label_log_q[example];
    const float loss = objective(shortlist, own, own, lanes);
    float scale = batch.weights[example];
    const float weight = scale;
    if (clip > 0.0F) {
      float squares = 0.0F;
      for (std::uint32_t i = lanes.from(0); i < shortlist.size(); i += lanes.stride()) {
        squares += own[i] * own[i];
      }
      scale =
          clipped_weight(weight, clip, lanes.sum(squares), squared_length(inputs, example, lanes));
    }
    for (std::uint32_t i = lanes.from(0); i < lists.size(); i += lanes.stride()) {
      own[i] = i < shortlist.size() ? scale * own[i] : 0.0F;
    }
    if (!lanes.owns(0)) return;
    results.set(example, weight * loss, !is_outside, scored + static_cast<float>(shortlist.noises));
  }
};

}  // namespace cane::device
