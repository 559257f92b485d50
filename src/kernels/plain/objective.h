// The objective of one example over its row of scores, in place: scores become d loss / d score.
// Classes that are neither candidates nor noises of the example get a gradient of zero. Host and
// device.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/plain/assemble.h"
#include "methods/with_objective.h"

namespace cane::kernels {

struct ObjectiveArguments {
  CandidateView candidates;  // own_classes and column_of_class are not read
  float* scores = nullptr;   // [examples, stride]; on return the gradient, zero beyond the classes
  const float* log_q = nullptr;  // [examples, 1 + noises]
  const std::int32_t* label_at = nullptr;
  const std::int32_t* drawn = nullptr;
  float* losses = nullptr;  // [examples]
  float scale = 1.0F;       // factor on the gradient: 1 / examples for a mean
};

/// CANE. `scores` is the row of the example, or a copy of it.
template <typename Lanes>
CANE_HOST_DEVICE void candidates_objective(const ObjectiveArguments& task, std::int64_t example,
                                           float* scores, const Lanes& lanes) {
  const ShortlistShape& shape = task.candidates.shape;
  const auto candidates = static_cast<std::uint32_t>(shape.candidates());
  const auto columns = static_cast<std::uint32_t>(shape.stride());
  const float* log_q = task.log_q + example * (1 + shape.noises());
  const std::int32_t drawn = task.drawn[example];
  const auto label_at = static_cast<std::uint32_t>(task.label_at[example]);
  if (drawn == kLeftOut) {
    for (std::uint32_t i = lanes.from(0); i < columns; i += lanes.stride()) scores[i] = 0.0F;
    if (lanes.owns(0)) task.losses[example] = 0.0F;
    return;
  }
  const auto first = static_cast<std::uint32_t>(shape.first_shared_column());
  const auto changing = first + static_cast<std::uint32_t>(task.candidates.fixed);
  for (std::uint32_t i = lanes.from(changing); i < candidates; i += lanes.stride()) {
    if (!is_visible(task.candidates, example, i - first)) {
      scores[i] = -std::numeric_limits<float>::infinity();
    }
  }
  // The label's own column is the first of the noises: the only one if the label is not a
  // candidate, absent otherwise.
  const bool is_outside = label_at == candidates;
  const auto noises = static_cast<std::uint32_t>(shape.noises());
  const std::uint32_t counted = is_outside ? 1 : (drawn == 0 ? 0 : 1 + noises);
  const std::uint32_t absent =
      is_outside || drawn == 0 ? 0 : counted - static_cast<std::uint32_t>(drawn);
  const Shortlist shortlist{candidates, counted, label_at, log_q, 0.0F, absent};
  const float loss = CandidatesVsNoises{}(shortlist, scores, scores, lanes);
  for (std::uint32_t i = lanes.from(0); i < columns; i += lanes.stride()) {
    scores[i] = i < candidates + counted ? scores[i] * task.scale : 0.0F;
  }
  if (lanes.owns(0)) task.losses[example] = loss;
}

/// The methods that contrast the label alone with noises: no candidates, the label's column first.
template <typename Objective, typename Lanes>
CANE_HOST_DEVICE void label_objective(const Objective& objective, const ObjectiveArguments& task,
                                      std::int64_t example, float* scores, const Lanes& lanes) {
  const ShortlistShape& shape = task.candidates.shape;
  const auto noises = static_cast<std::uint32_t>(shape.noises());
  const float* log_q = task.log_q + example * (1 + shape.noises());
  const auto drawn = static_cast<std::uint32_t>(task.drawn[example]);
  const auto columns = static_cast<std::uint32_t>(shape.stride());
  if (task.drawn[example] == kLeftOut) {
    for (std::uint32_t i = lanes.from(0); i < columns; i += lanes.stride()) scores[i] = 0.0F;
    if (lanes.owns(0)) task.losses[example] = 0.0F;
    return;
  }
  if (drawn < noises) {
    for (std::uint32_t j = lanes.from(1); j <= noises; j += lanes.stride()) {
      if (std::isinf(log_q[j])) scores[j] = -std::numeric_limits<float>::infinity();
    }
  }
  const Shortlist shortlist{1, noises, 0, log_q + 1, log_q[0], noises - drawn};
  const float loss = objective(shortlist, scores, scores, lanes);
  for (std::uint32_t i = lanes.from(0); i < columns; i += lanes.stride()) {
    scores[i] = i <= noises ? scores[i] * task.scale : 0.0F;
  }
  if (lanes.owns(0)) task.losses[example] = loss;
}

/// Completes the shortlists of these methods. The noises and the label get log q of the whole law.
/// Methods that draw with the label excluded (uniformly, so that log q is not read) drop the noises
/// that equal the label.
template <typename Lanes>
CANE_HOST_DEVICE void assemble_label(const AssembleArguments& task, bool excludes_label,
                                     std::int64_t example, const Lanes& lanes) {
  const ShortlistShape& shape = task.candidates.shape;
  if (is_padding(task.labels[example])) {
    assemble_padding(task, example, lanes);
    return;
  }
  const auto label = static_cast<std::int32_t>(task.labels[example]);
  std::int32_t* own = task.own_classes + example * shape.own_classes();
  float* log_q = task.log_q + example * (1 + shape.noises());
  const auto noises = static_cast<std::uint32_t>(shape.noises());
  float counting = 0.0F;
  for (std::uint32_t j = lanes.from(0); j < noises; j += lanes.stride()) {
    const std::int32_t id =
        j < shape.shared_noises ? task.shared_classes[1 + j] : own[1 + (j - shape.shared_noises)];
    const bool counts = !(excludes_label && id == label);
    log_q[1 + j] = counts ? std::log(task.law.masses[id]) : std::numeric_limits<float>::infinity();
    counting += counts ? 1.0F : 0.0F;
  }
  const auto counted = static_cast<std::int32_t>(lanes.sum(counting));
  if (!lanes.owns(0)) return;
  task.drawn[example] = counted == 0 ? kLeftOut : counted;
  task.label_at[example] = 0;
  own[0] = label;
  log_q[0] =
      label == kNoClass ? std::numeric_limits<float>::infinity() : std::log(task.law.masses[label]);
}

}  // namespace cane::kernels
