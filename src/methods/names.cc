// Names of the options that have a table, taken from its rows.
#include "cane/names.h"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

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

}  // namespace cane
