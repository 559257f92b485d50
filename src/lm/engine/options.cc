#include "lm/engine/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cane/error.h"
#include "core/base/field_text.h"

namespace cane::lm {
namespace {

template <typename Options>
std::map<std::string, std::string> text_of(const Options& options) {
  std::map<std::string, std::string> values;
  visit_fields(options, [&](const Field& field, const auto& value) {
    if (field.stored) values[dashed_name(field)] = value_text(field, value);
  });
  return values;
}

template <typename Options>
Options options_from(const std::map<std::string, std::string>& values, const std::string& writer) {
  Options options;
  for (const auto& [name, value] : values) {
    try {
      if (set_field(options, name, value)) continue;
    } catch (const OptionError& error) {
      throw Error(newer_text(
          writer, fmt::format("another value of `{}` ({})", error.field(), error.problem())));
    }
    throw Error(newer_text(writer, fmt::format("the option `{}`", name)));
  }
  check_options(options);
  return options;
}

}  // namespace

void check_options(const ModelOptions& options) {
  check_fields(options);
  const BodyOptions& body = options.body;
  if (body.projection >= body.hidden) {
    throw OptionError("projection", "it must be smaller than `hidden`, or 0 for none");
  }
  if (body.tied && body.embedding != body.width()) {
    throw OptionError("tied",
                      "it must be left out unless `embedding` is as wide as `projection` (or "
                      "`hidden` without one)");
  }
  if (std::ranges::find(head_names(), options.head.name) == head_names().end()) {
    throw OptionError("head", fmt::format("there is no '{}'", options.head.name),
                      fmt::format("there are {}", fmt::join(head_names(), ", ")));
  }
}

void check_options(const LmTrainOptions& options) {
  check_fields(options);
}

double first_rate(const LmTrainOptions& options) {
  if (options.lr > 0.0) return options.lr;
  switch (options.optimizer) {
    case UpdateRule::kSgd:
      return 1.0;
    case UpdateRule::kAdagrad:
      return 0.1;
    case UpdateRule::kAdam:
      return 0.001;
  }
  throw Error("an optimiser without a rate");
}

std::map<std::string, std::string> as_text(const ModelOptions& options) {
  return text_of(options);
}

std::map<std::string, std::string> as_text(const LmTrainOptions& options) {
  return text_of(options);
}

std::string writer_of(const std::map<std::string, std::string>& metadata) {
  // 0.1 wrote the second one.
  for (const char* entry : {"cane.writer", "writer"}) {
    const auto found = metadata.find(entry);
    if (found != metadata.end()) return found->second;
  }
  return "another version of cane-lm";
}

ModelOptions model_options_from(const std::map<std::string, std::string>& values,
                                const std::string& writer) {
  return options_from<ModelOptions>(values, writer);
}

LmTrainOptions train_options_from(const std::map<std::string, std::string>& values,
                                  const std::string& writer) {
  return options_from<LmTrainOptions>(values, writer);
}

}  // namespace cane::lm
