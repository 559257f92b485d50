// Names of the options that have a table, taken from its rows.
#include "cane/names.h"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "methods/encoder_table.h"
#include "methods/method_table.h"
#include "methods/noise_table.h"
#include "methods/optimizer_table.h"
#include "methods/selector_table.h"

namespace cane {
namespace {

template <typename Row, std::size_t size>
constexpr auto names_in(const std::array<Row, size>& rows) {
  std::array<Named<decltype(Row::kind)>, size> names{};
  for (std::size_t i = 0; i < size; ++i) names[i] = {rows[i].kind, rows[i].name, rows[i].summary};
  return names;
}

constexpr auto kMethodNames = names_in(kMethods);
constexpr auto kSelectorNames = names_in(kSelectors);
constexpr auto kEncoderNames = names_in(kEncoders);
constexpr auto kNoiseNames = names_in(kNoises);
constexpr auto kOptimizerNames = names_in(kOptimizers);

constexpr RemovedValue kRemovedValues[] = {
    {"select", "graph", "exact", "use `select centroid`, or exact"},
    {"select", "frequency", "beam", "use `select beam`"}};

}  // namespace

const RemovedValue* removed_value(std::string_view field, std::string_view name) {
  for (const RemovedValue& value : kRemovedValues) {
    if (value.field == field && value.name == name) return &value;
  }
  return nullptr;
}

template <>
std::span<const Named<Method>> named_values<Method>() {
  return kMethodNames;
}
template <>
std::span<const Named<SelectorKind>> named_values<SelectorKind>() {
  return kSelectorNames;
}
template <>
std::span<const Named<EncoderKind>> named_values<EncoderKind>() {
  return kEncoderNames;
}
template <>
std::span<const Named<NoiseKind>> named_values<NoiseKind>() {
  return kNoiseNames;
}
template <>
std::span<const Named<OptimizerKind>> named_values<OptimizerKind>() {
  return kOptimizerNames;
}

std::vector<Fact> facts_of(Method method) {
  const MethodRow& row = row_of(method);
  return {{"has_objective", row.has_objective},
          {"has_candidates", row.has_candidates},
          {"has_noises", row.has_noises()},
          {"takes_uniform_noise_only", row.takes_uniform_noise_only},
          {"trains_all_classes", row.trains_all_classes},
          {"learns_ratio_to_noise", row.learns_ratio_to_noise},
          {"is_hierarchical", row.is_hierarchical},
          {"is_online_tree", row.is_online_tree},
          {"has_probabilities", row.has_probabilities}};
}

std::vector<Fact> facts_of(SelectorKind selector) {
  const SelectorRow& row = row_of(selector);
  return {{"has_proposal", row.has_proposal},
          {"proposes_by_tree", row.proposes_by_tree},
          {"proposal_is_prior", row.proposal_is_prior},
          {"is_exhaustive", row.is_exhaustive}};
}

std::vector<Fact> facts_of(NoiseKind noise) {
  const NoiseRow& row = row_of(noise);
  return {{"uses_power", row.uses_power}, {"is_proposal", row.is_proposal}};
}

std::vector<Fact> facts_of(OptimizerKind optimizer) {
  return {{"is_adaptive", row_of(optimizer).is_adaptive}};
}

}  // namespace cane
