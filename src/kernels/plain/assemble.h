// Completes the shortlist of an example once candidates and noises are drawn. Own candidates that
// the batch already has are dropped, noises that are candidates are dropped, and every noise and
// the label get the exact log-probability with which they are drawn outside the candidates,
//   log q(w) = log mass(w) - log(1 - mass of the candidates).
//
// The law that noises are drawn from excludes only the classes that are always candidates. Dropping
// the draws that fall on other candidates leaves independent draws from the law outside them,
// however many are left, so the mean over these is an unbiased estimate. If none is left although
// there are classes outside, or if there are no candidates, the example is left out, for any
// label: this depends on candidates and draws alone, so consistency is preserved. Host and device;
// lanes as in objective/lanes.h.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/plain/law.h"
#include "kernels/plain/shape.h"

namespace cane::kernels {

/// The candidates of an example. Some belong to the whole batch: classes that are always
/// candidates, then labels of the batch. A label of the batch is a candidate of an example unless
/// all its occurrences are in the example's own stream and not before it: a model of the next class
/// cannot know these, and candidates that reveal the label would make the estimate inconsistent.
/// Host and device.
inline constexpr std::int32_t kNoColumn = std::numeric_limits<std::int32_t>::max();
/// Values of visible_after that are not the index of an example.
inline constexpr std::int32_t kSeenByAll = -1;
inline constexpr std::int32_t kSeenByNone = -2;

struct CandidateView {
  ShortlistShape shape;
  std::int64_t streams = 1;  // example = time * streams + stream
  std::int64_t fixed = 0;    // shared candidates that are always there, outside the noise law
  const std::int32_t* own_classes = nullptr;  // [examples, shape.own_classes()]
  const std::int32_t* column_of_class =
      nullptr;  // [classes] among the shared candidates, or kNoColumn
  const std::int32_t* visible_after = nullptr;  // for the other shared candidates
};

CANE_HOST_DEVICE inline bool is_visible(const CandidateView& view, std::int64_t example,
                                        std::int64_t shared_column) {
  if (shared_column < view.fixed) return true;
  const std::int32_t after = view.visible_after[shared_column - view.fixed];
  if (after < 0) return after == kSeenByAll;
  return after % view.streams != example % view.streams || after < example;
}

/// The column of a class among the shared candidates that this example sees, or kNoColumn.
CANE_HOST_DEVICE inline std::int32_t shared_column(const CandidateView& view, std::int64_t example,
                                                   std::int32_t id) {
  const std::int32_t column = view.column_of_class[id];
  return column != kNoColumn && is_visible(view, example, column) ? column : kNoColumn;
}

/// The place of a class among the example's own candidates, or kNoColumn.
CANE_HOST_DEVICE inline std::int32_t own_place(const CandidateView& view, std::int64_t example,
                                               std::int32_t id) {
  const std::int32_t* own = view.own_classes + example * view.shape.own_classes();
  std::int32_t found = kNoColumn;
  for (std::int32_t place = 0; place < view.shape.own_candidates; ++place) {
    found = own[place] == id ? place : found;
  }
  return found;
}

/// The column of a class in the example's row of scores if it is a candidate, or kNoColumn.
CANE_HOST_DEVICE inline std::int32_t candidate_column(const CandidateView& view,
                                                      std::int64_t example, std::int32_t id) {
  const std::int32_t shared = shared_column(view, example, id);
  if (shared != kNoColumn) return static_cast<std::int32_t>(view.shape.own_candidates) + shared;
  return own_place(view, example, id);
}

/// Value of `drawn` for an example that is left out.
inline constexpr std::int32_t kLeftOut = -1;
/// A label of kNoClass leaves the label's place empty; a lower one marks padding, which is left out
/// and has no classes.
CANE_HOST_DEVICE inline bool is_padding(std::int64_t label) {
  return label < kNoClass;
}

struct AssembleArguments {
  CandidateView candidates;
  std::int64_t classes = 0;                      // number of classes
  const std::int64_t* labels = nullptr;          // [examples]
  const std::int64_t* contexts = nullptr;        // [examples]; read only by a law with successors
  std::int32_t* own_classes = nullptr;           // as in `candidates`; places are emptied
  const std::int32_t* shared_classes = nullptr;  // [shape.shared_classes()]
  LawView law;                                   // without successors if the batch shares noises
  const float* given_log_q = nullptr;            // [examples, 1 + noises] in place of the law's
  float* log_q = nullptr;                        // [examples, 1 + noises]: label, noises
  std::int32_t* label_at = nullptr;              // [examples] column of the label
  std::int32_t* drawn = nullptr;                 // [examples] how many noises count, or kLeftOut
  std::int64_t* covered = nullptr;  // [2] added to: labels among the candidates, examples
};

CANE_HOST_DEVICE inline bool is_covered(const AssembleArguments& task, std::int64_t example) {
  return task.label_at[example] < task.candidates.shape.candidates();
}

/// The context of an example; 0 if the law does not depend on it.
CANE_HOST_DEVICE inline std::int32_t context_of(const AssembleArguments& task,
                                                std::int64_t example) {
  return static_cast<std::int32_t>(task.contexts == nullptr ? 0 : task.contexts[example]);
}

struct Outside {
  float log_mass;
  std::int64_t candidates;  // how many classes are inside
};

/// The part of the law outside the candidates of an example. All lanes get the same result.
template <typename Lanes>
CANE_HOST_DEVICE Outside outside_candidates(const AssembleArguments& task, std::int64_t example,
                                            const Lanes& lanes) {
  const CandidateView& view = task.candidates;
  const ShortlistShape& shape = view.shape;
  const std::int32_t context = context_of(task, example);
  float mass = 0.0F;
  float count = 0.0F;
  const std::int32_t* own = task.own_classes + example * shape.own_classes();
  const auto own_candidates = static_cast<std::uint32_t>(shape.own_candidates);
  for (std::uint32_t p = lanes.from(0); p < own_candidates; p += lanes.stride()) {
    if (own[p] == kNoClass) continue;
    if (task.given_log_q == nullptr) mass += law_mass(task.law, context, own[p]);
    count += 1.0F;
  }
  const auto shared = static_cast<std::uint32_t>(shape.shared_candidates);
  const auto fixed = static_cast<std::uint32_t>(view.fixed);
  for (std::uint32_t s = lanes.from(fixed); s < shared; s += lanes.stride()) {
    if (!is_visible(view, example, s)) continue;
    if (task.given_log_q == nullptr) mass += law_mass(task.law, context, task.shared_classes[s]);
    count += 1.0F;
  }
  const float rest = 1.0F - lanes.sum(mass);
  constexpr float kMin = std::numeric_limits<float>::epsilon();
  return {std::log(rest > kMin ? rest : kMin),
          view.fixed + static_cast<std::int64_t>(lanes.sum(count))};
}

/// The log-probability with which a class outside the candidates is drawn; `place` counts the label
/// and then the noises.
CANE_HOST_DEVICE inline float outside_log_q(const AssembleArguments& task, std::int64_t example,
                                            std::int64_t place, std::int32_t id,
                                            float log_outside) {
  if (task.given_log_q != nullptr) {
    return task.given_log_q[example * (1 + task.candidates.shape.noises()) + place];
  }
  return std::log(law_mass(task.law, context_of(task, example), id)) - log_outside;
}

/// The classes of padding are none.
template <typename Lanes>
CANE_HOST_DEVICE void assemble_padding(const AssembleArguments& task, std::int64_t example,
                                       const Lanes& lanes) {
  const ShortlistShape& shape = task.candidates.shape;
  std::int32_t* own = task.own_classes + example * shape.own_classes();
  float* log_q = task.log_q + example * (1 + shape.noises());
  const auto places = static_cast<std::uint32_t>(shape.own_classes());
  for (std::uint32_t p = lanes.from(0); p < places; p += lanes.stride()) own[p] = kNoClass;
  const auto noises = static_cast<std::uint32_t>(shape.noises());
  for (std::uint32_t j = lanes.from(0); j <= noises; j += lanes.stride()) {
    log_q[j] = std::numeric_limits<float>::infinity();
  }
  if (!lanes.owns(0)) return;
  task.drawn[example] = kLeftOut;
  task.label_at[example] = static_cast<std::int32_t>(shape.label_column());
}

template <typename Lanes>
CANE_HOST_DEVICE void assemble_example(const AssembleArguments& task, std::int64_t example,
                                       const Lanes& lanes) {
  const CandidateView& view = task.candidates;
  const ShortlistShape& shape = view.shape;
  if (is_padding(task.labels[example])) {
    assemble_padding(task, example, lanes);
    return;
  }
  std::int32_t* own = task.own_classes + example * shape.own_classes();
  const auto own_candidates = static_cast<std::uint32_t>(shape.own_candidates);
  for (std::uint32_t p = lanes.from(0); p < own_candidates; p += lanes.stride()) {
    if (own[p] != kNoClass && shared_column(view, example, own[p]) != kNoColumn) own[p] = kNoClass;
  }
  const Outside outside = outside_candidates(task, example, lanes);

  float* log_q = task.log_q + example * (1 + shape.noises());
  const auto noises = static_cast<std::uint32_t>(shape.noises());
  float counting = 0.0F;
  for (std::uint32_t j = lanes.from(0); j < noises; j += lanes.stride()) {
    const bool is_shared = j < shape.shared_noises;
    const std::int32_t id = is_shared ? task.shared_classes[shape.shared_candidates + 1 + j]
                                      : own[shape.own_candidates + 1 + (j - shape.shared_noises)];
    const bool counts = id != kNoClass && candidate_column(view, example, id) == kNoColumn;
    log_q[1 + j] = counts ? outside_log_q(task, example, 1 + j, id, outside.log_mass)
                          : std::numeric_limits<float>::infinity();
    counting += counts ? 1.0F : 0.0F;
  }
  const auto counted = static_cast<std::int32_t>(lanes.sum(counting));
  if (!lanes.owns(0)) return;
  const auto label = static_cast<std::int32_t>(task.labels[example]);
  const std::int32_t column =
      label == kNoClass ? kNoColumn : candidate_column(view, example, label);
  const bool is_outside = column == kNoColumn;
  const bool lacks_noises = counted == 0 && outside.candidates < task.classes;
  task.drawn[example] = lacks_noises || outside.candidates == 0 ? kLeftOut : counted;
  task.label_at[example] = is_outside ? static_cast<std::int32_t>(shape.label_column()) : column;
  own[shape.own_candidates] = is_outside ? label : kNoClass;
  log_q[0] = is_outside && label != kNoClass
                 ? outside_log_q(task, example, 0, label, outside.log_mass)
                 : std::numeric_limits<float>::infinity();
}

}  // namespace cane::kernels
