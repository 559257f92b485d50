// The spelling of every option value, in one place: the command line, the model file and messages
// all read these tables.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cane/config.h"
#include "cane/data_options.h"
#include "cane/error.h"
#include "cane/tune_options.h"

namespace cane {

template <typename Enum>
struct Named {
  Enum value;
  const char* name;
};

template <typename Enum>
inline constexpr Named<Enum> kNames[] = {};
template <>
inline constexpr Named<Format> kNames<Format>[] = {
    {Format::kAuto, "auto"},         {Format::kSvm, "svm"}, {Format::kVw, "vw"},
    {Format::kFastText, "fasttext"}, {Format::kXmc, "xmc"}, {Format::kNpy, "npy"}};
template <>
inline constexpr Named<Normalize> kNames<Normalize>[] = {{Normalize::kNone, "none"},
                                                         {Normalize::kL2, "l2"}};
template <>
inline constexpr Named<OnError> kNames<OnError>[] = {{OnError::kStop, "stop"},
                                                     {OnError::kSkip, "skip"}};
template <>
inline constexpr Named<MultiLabel> kNames<MultiLabel>[] = {
    {MultiLabel::kError, "error"}, {MultiLabel::kFirst, "first"}, {MultiLabel::kEach, "each"}};
template <>
inline constexpr Named<Method> kNames<Method>[] = {
    {Method::kAuto, "auto"},       {Method::kCane, "cane"},
    {Method::kSoftmax, "softmax"}, {Method::kNce, "nce"},
    {Method::kNeg, "neg"},         {Method::kBlackout, "blackout"},
    {Method::kOve, "ove"},         {Method::kCss, "css"},
    {Method::kHsm, "hsm"},         {Method::kFilterTree, "filter-tree"},
    {Method::kLomTree, "lomtree"}, {Method::kRecallTree, "recall-tree"}};
template <>
inline constexpr Named<EncoderKind> kNames<EncoderKind>[] = {
    {EncoderKind::kIdentity, "identity"}, {EncoderKind::kBag, "bag"}, {EncoderKind::kMlp, "mlp"}};
template <>
inline constexpr Named<SelectorKind> kNames<SelectorKind>[] = {
    {SelectorKind::kAuto, "auto"},     {SelectorKind::kBeam, "beam"},
    {SelectorKind::kNarrow, "narrow"}, {SelectorKind::kTree, "tree"},
    {SelectorKind::kGraph, "graph"},   {SelectorKind::kFrequency, "frequency"},
    {SelectorKind::kExact, "exact"},   {SelectorKind::kAll, "all"}};
template <>
inline constexpr Named<NoiseKind> kNames<NoiseKind>[] = {{NoiseKind::kAuto, "auto"},
                                                         {NoiseKind::kUniform, "uniform"},
                                                         {NoiseKind::kUnigram, "unigram"},
                                                         {NoiseKind::kProposal, "proposal"}};
template <>
inline constexpr Named<ScorerKind> kNames<ScorerKind>[] = {
    {ScorerKind::kAuto, "auto"}, {ScorerKind::kFlat, "flat"}, {ScorerKind::kPath, "path"}};
template <>
inline constexpr Named<StartKind> kNames<StartKind>[] = {{StartKind::kZero, "zero"},
                                                         {StartKind::kMeans, "means"}};
template <>
inline constexpr Named<Schedule> kNames<Schedule>[] = {{Schedule::kConstant, "constant"},
                                                       {Schedule::kLinear, "linear"}};
template <>
inline constexpr Named<OptimizerKind> kNames<OptimizerKind>[] = {
    {OptimizerKind::kAuto, "auto"},
    {OptimizerKind::kSgd, "sgd"},
    {OptimizerKind::kAdagrad, "adagrad"}};
template <>
inline constexpr Named<Probability> kNames<Probability>[] = {{Probability::kNone, "none"},
                                                             {Probability::kEstimate, "estimate"},
                                                             {Probability::kExact, "exact"}};

template <>
inline constexpr Named<Protocol> kNames<Protocol>[] = {{Protocol::kHalving, "halving"},
                                                       {Protocol::kPaper, "paper"}};

template <typename Enum>
constexpr const char* name_of(Enum value) {
  for (const auto& entry : kNames<Enum>) {
    if (entry.value == value) return entry.name;
  }
  return "?";
}

/// "a|b|c"
template <typename Enum>
std::string names_of() {
  std::string joined;
  for (const auto& entry : kNames<Enum>) {
    if (!joined.empty()) joined += '|';
    joined += entry.name;
  }
  return joined;
}

/// Throws Error, naming the option and the values it takes.
template <typename Enum>
Enum value_named(std::string_view option, std::string_view name) {
  for (const auto& entry : kNames<Enum>) {
    if (entry.name == name) return entry.value;
  }
  throw Error("--" + std::string(option) + ": unknown value '" + std::string(name) +
              "'; it takes " + names_of<Enum>());
}

}  // namespace cane
