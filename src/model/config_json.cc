#include "model/config_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <type_traits>

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/bad_line.h"
#include "core/base/field_text.h"
#include "core/file/archive.h"
#include "methods/encoder_table.h"

namespace cane {
namespace {

template <typename Options>
nlohmann::json stored_fields(const Options& options) {
  nlohmann::json json = nlohmann::json::object();
  visit_fields(options, [&](const Field& field, const auto& value) {
    if (!field.stored) return;
    if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>) {
      json[dashed_name(field)] = name_of(value);
    } else {
      json[dashed_name(field)] = value;
    }
  });
  return json;
}

template <typename T>
T value_from(const Field& field, const nlohmann::json& json) {
  if constexpr (std::is_enum_v<T>) {
    const auto name = json.get<std::string>();
    const RemovedValue* const removed = removed_value(field.name, name);
    return value_named<T>(field.name, removed == nullptr ? name : removed->stored_as);
  } else {
    T value = json_value<T>(json);
    try {
      check_value(field, value);
    } catch (const OptionError& error) {
      throw BadNumber(error.what());
    }
    return value;
  }
}

[[noreturn]] void throw_newer(const ConfigSource& source, const std::string& what) {
  throw Error(fmt::format("{}: {}", source.path, newer_text(shown(source.writer), what)));
}

[[noreturn]] void throw_unreadable(const ConfigSource& source, const std::string& what) {
  throw Error(
      fmt::format("{}: the stored options cannot be read ({}); it was written by {}: use that "
                  "version, or train again",
                  source.path, what, shown(source.writer)));
}

}  // namespace

std::string config_to_json(const TrainConfig& config, const RetiredOptions& retired) {
  nlohmann::json json = stored_fields(config);
  const nlohmann::json defaults = stored_fields(RetiredOptions());
  const nlohmann::json held = stored_fields(retired);
  for (const auto& [name, value] : held.items()) {
    if (value != defaults[name]) json[name] = value;
  }
  return json.dump();
}

StoredOptions config_from_json(const std::string& text, const ConfigSource& source) {
  StoredOptions stored;
  stored.config.whiten = WhitenKind::kOff;  // of files that predate it
  std::set<std::string> known;
  try {
    const nlohmann::json parsed = nlohmann::json::parse(text);
    const auto& json = parsed.get_ref<const nlohmann::json::object_t&>();
    const auto read = [&](const Field& field, auto& value) {
      if (!field.stored) return;
      const auto found = json.find(dashed_name(field));
      known.insert(dashed_name(field));
      // A file that predates this field implies its default.
      if (found == json.end()) return;
      value = value_from<std::decay_t<decltype(value)>>(field, found->second);
    };
    visit_fields(stored.config, read);
    visit_fields(stored.retired, read);
    // All classes are scored in its place, which takes no beam.
    if (json.contains("select") && json.at("select") == "graph") {
      stored.config.beam = stored.config.candidates;
    }
    for (const auto& [name, value] : json) {
      if (!known.contains(name)) throw_newer(source, fmt::format("the option `{}`", shown(name)));
    }
  } catch (const OptionError& error) {
    throw_newer(source,
                fmt::format("another value of `{}` ({})", error.field(), shown(error.problem())));
  } catch (const nlohmann::json::exception& error) {
    throw_unreadable(source, shown(error.what()));
  } catch (const BadNumber& error) {
    throw_unreadable(source, error.what());
  }
  // Before there was a choice each noise had a term of its own, and what is stored is chosen.
  if (stored.config.noise_terms == NoiseTerms::kAuto) {
    stored.config.noise_terms = NoiseTerms::kSeparate;
  }
  if (stored.config.encoder == EncoderKind::kAuto) stored.config.encoder = EncoderKind::kIdentity;
  if (stored.config.l2 == TrainConfig::kAutoDecay) stored.config.l2 = 0.0F;
  // Without an encoder it says nothing, and its default has changed.
  if (!row_of(stored.config.encoder).has_layers) stored.config.dim = TrainConfig().dim;
  adopt(stored.retired, stored.config);
  return stored;
}

}  // namespace cane
