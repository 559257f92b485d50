// Refuses what a learner on a device cannot learn. The texts name the option.
#pragma once

#include <stdexcept>
#include <string>

#include "device/learner.h"

namespace cane::device {

inline void check_spec(const LearnerSpec& spec) {
  const auto require = [](bool holds, const std::string& text) {
    if (!holds) throw std::runtime_error(text);
  };
  const MethodRow& method = row_of(spec.method);
  const SelectorRow& selector = row_of(spec.select);
  require(method.trains_on_device, std::string("`method ") + method.name +
                                       "` is not trained on a device; it trains on the CPU");
  require(spec.classes >= 2, "a learner needs two classes or more");
  require(spec.batch > 0, "a learner needs a `batch` of one or more");
  // Counts of values are summed as floats, which are exact up to here.
  constexpr std::uint64_t kMaxValues = (std::uint64_t{1} << 24) - 1;
  require(spec.batch_values + spec.batch <= kMaxValues,
          "a batch has too many values for a device; take a smaller `batch`");
  require(!spec.is_sparse || spec.batch_values > 0, "sparse rows need a bound on their values");
  const bool uses_tree =
      method.is_hierarchical || (method.has_candidates && selector.proposes_by_tree);
  require(!uses_tree || spec.tree.nodes > spec.classes, "the method needs a tree of classes");
  if (method.has_noises()) {
    require(spec.noises > 0, "the method needs `noises`");
    const NoiseRow& noise = row_of(spec.noise);
    require(!noise.uses_power || spec.noise_masses != nullptr,
            "unigram noise needs the counts of the classes");
    require(!noise.is_proposal || method.has_candidates,
            "the method has no proposal to draw noises from");
  }
  if (!method.has_candidates) return;
  require(selector.trains_on_device, std::string("`select ") + selector.name +
                                         "` is not trained on a device; it trains on the CPU");
  require(spec.rank > 0, "a proposal needs a `rank`");
  require(spec.candidates > 0 && spec.candidates <= spec.beam && spec.beam <= spec.classes,
          "`candidates` must not exceed `beam`, nor `beam` the number of classes");
}

}  // namespace cane::device
