// The spelling of every option value, in one place: the command line, model files and messages all
// use these lists. Methods, selectors, encoders, noise laws and optimisers have tables in the
// library with a name and a summary in each row; named_values() reads those.
#pragma once

#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "cane/config.h"
#include "cane/data_options.h"
#include "cane/error.h"
#include "cane/tune_options.h"

namespace cane {

template <typename Enum>
struct Named {
  Enum value;
  const char* name;
  const char* summary = "";  // one line; empty if the name is self-explanatory
};

/// The values of an option, in the order in which help lists them.
template <typename Enum>
std::span<const Named<Enum>> named_values();
template <>
std::span<const Named<Method>> named_values<Method>();
template <>
std::span<const Named<SelectorKind>> named_values<SelectorKind>();
template <>
std::span<const Named<EncoderKind>> named_values<EncoderKind>();
template <>
std::span<const Named<NoiseKind>> named_values<NoiseKind>();
template <>
std::span<const Named<OptimizerKind>> named_values<OptimizerKind>();

/// What a table says of one of its rows, for programs that make their own choices by it.
struct Fact {
  const char* name;
  bool holds;
};
std::vector<Fact> facts_of(Method method);
std::vector<Fact> facts_of(SelectorKind selector);
std::vector<Fact> facts_of(NoiseKind noise);
std::vector<Fact> facts_of(OptimizerKind optimizer);

template <>
inline std::span<const Named<Format>> named_values<Format>() {
  static constexpr Named<Format> kNames[] = {
      {Format::kAuto, "auto"},         {Format::kSvm, "svm"}, {Format::kVw, "vw"},
      {Format::kFastText, "fasttext"}, {Format::kXmc, "xmc"}, {Format::kNpy, "npy"},
      {Format::kCsv, "csv"},           {Format::kTsv, "tsv"}, {Format::kJsonl, "jsonl"}};
  return kNames;
}
template <>
inline std::span<const Named<Normalize>> named_values<Normalize>() {
  static constexpr Named<Normalize> kNames[] = {
      {Normalize::kAuto, "auto"}, {Normalize::kNone, "none"}, {Normalize::kL2, "l2"}};
  return kNames;
}
template <>
inline std::span<const Named<TokenizerKind>> named_values<TokenizerKind>() {
  static constexpr Named<TokenizerKind> kNames[] = {{TokenizerKind::kAuto, "auto"},
                                                    {TokenizerKind::kSpaces, "spaces"},
                                                    {TokenizerKind::kWords, "words"}};
  return kNames;
}
template <>
inline std::span<const Named<FeatureWeights>> named_values<FeatureWeights>() {
  static constexpr Named<FeatureWeights> kNames[] = {{FeatureWeights::kAuto, "auto"},
                                                     {FeatureWeights::kCount, "count"},
                                                     {FeatureWeights::kBinary, "binary"},
                                                     {FeatureWeights::kTfidf, "tfidf"}};
  return kNames;
}
template <>
inline std::span<const Named<OnError>> named_values<OnError>() {
  static constexpr Named<OnError> kNames[] = {{OnError::kStop, "stop"}, {OnError::kSkip, "skip"}};
  return kNames;
}
template <>
inline std::span<const Named<MultiLabel>> named_values<MultiLabel>() {
  static constexpr Named<MultiLabel> kNames[] = {{MultiLabel::kAuto, "auto"},
                                                 {MultiLabel::kError, "error"},
                                                 {MultiLabel::kFirst, "first"},
                                                 {MultiLabel::kEach, "each"}};
  return kNames;
}
template <>
inline std::span<const Named<HeaderRow>> named_values<HeaderRow>() {
  static constexpr Named<HeaderRow> kNames[] = {
      {HeaderRow::kAuto, "auto"}, {HeaderRow::kYes, "yes"}, {HeaderRow::kNo, "no"}};
  return kNames;
}
template <>
inline std::span<const Named<NoiseTerms>> named_values<NoiseTerms>() {
  static constexpr Named<NoiseTerms> kNames[] = {
      {NoiseTerms::kAuto, "auto", "pooled where a batch shares its noises"},
      {NoiseTerms::kSeparate, "separate", "the mean of a term for each noise"},
      {NoiseTerms::kPooled, "pooled",
       "one term, in which a missed label takes the place of a noise"}};
  return kNames;
}
template <>
inline std::span<const Named<ScorerKind>> named_values<ScorerKind>() {
  static constexpr Named<ScorerKind> kNames[] = {
      {ScorerKind::kAuto, "auto"}, {ScorerKind::kFlat, "flat"}, {ScorerKind::kPath, "path"}};
  return kNames;
}
template <>
inline std::span<const Named<StartKind>> named_values<StartKind>() {
  static constexpr Named<StartKind> kNames[] = {
      {StartKind::kZero, "zero"}, {StartKind::kMeans, "means"}, {StartKind::kAuto, "auto"}};
  return kNames;
}
template <>
inline std::span<const Named<WhitenKind>> named_values<WhitenKind>() {
  static constexpr Named<WhitenKind> kNames[] = {{WhitenKind::kAuto, "auto"},
                                                 {WhitenKind::kOff, "off"}};
  return kNames;
}
template <>
inline std::span<const Named<PilotKind>> named_values<PilotKind>() {
  static constexpr Named<PilotKind> kNames[] = {{PilotKind::kOff, "off"}, {PilotKind::kOn, "on"}};
  return kNames;
}
template <>
inline std::span<const Named<Schedule>> named_values<Schedule>() {
  static constexpr Named<Schedule> kNames[] = {{Schedule::kConstant, "constant"},
                                               {Schedule::kLinear, "linear"}};
  return kNames;
}
template <>
inline std::span<const Named<ClassWeight>> named_values<ClassWeight>() {
  static constexpr Named<ClassWeight> kNames[] = {{ClassWeight::kNone, "none"},
                                                  {ClassWeight::kBalanced, "balanced"}};
  return kNames;
}
template <>
inline std::span<const Named<ParallelKind>> named_values<ParallelKind>() {
  static constexpr Named<ParallelKind> kNames[] = {{ParallelKind::kAuto, "auto"},
                                                   {ParallelKind::kData, "data"},
                                                   {ParallelKind::kClasses, "classes"}};
  return kNames;
}
template <>
inline std::span<const Named<Probability>> named_values<Probability>() {
  static constexpr Named<Probability> kNames[] = {{Probability::kNone, "none"},
                                                  {Probability::kEstimate, "estimate"},
                                                  {Probability::kExact, "exact"},
                                                  {Probability::kAuto, "auto"}};
  return kNames;
}
template <>
inline std::span<const Named<Protocol>> named_values<Protocol>() {
  static constexpr Named<Protocol> kNames[] = {{Protocol::kHalving, "halving"},
                                               {Protocol::kPaper, "paper"}};
  return kNames;
}

/// Throws if the value has no name.
template <typename Enum>
const char* name_of(Enum value) {
  for (const auto& entry : named_values<Enum>()) {
    if (entry.value == value) return entry.name;
  }
  throw std::logic_error("an option has a value without a name");
}

/// "a|b|c"
template <typename Enum>
std::string names_of() {
  std::string joined;
  for (const auto& entry : named_values<Enum>()) {
    if (!joined.empty()) joined += '|';
    joined += entry.name;
  }
  return joined;
}

/// " (do you mean 'train'?)", with the name that is the fewest edits away from `typed`, whatever
/// the case of its letters; nothing if no name is near.
std::string suggestion(std::string_view typed, std::span<const std::string_view> names);

/// A value that earlier versions had: files that name it load with one that predicts the same.
struct RemovedValue {
  const char* field;
  const char* name;
  const char* stored_as;
  const char* remedy;
};
/// Null unless earlier versions had this value of this field.
const RemovedValue* removed_value(std::string_view field, std::string_view name);

/// Throws OptionError naming the field and its accepted values.
template <typename Enum>
Enum value_named(std::string_view field, std::string_view name) {
  for (const auto& entry : named_values<Enum>()) {
    if (entry.name == name) return entry.value;
  }
  if (const RemovedValue* removed = removed_value(field, name)) {
    throw OptionError(std::string(field), "'" + std::string(name) + "' was removed in cane 0.2",
                      removed->remedy);
  }
  std::vector<std::string_view> names;
  for (const auto& entry : named_values<Enum>()) names.emplace_back(entry.name);
  throw OptionError(std::string(field),
                    "unknown value '" + std::string(name) + "'" + suggestion(name, names),
                    "it takes " + names_of<Enum>());
}

}  // namespace cane
