#include "lm/file/lm_metadata.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cane/error.h"

namespace cane {
namespace {

constexpr const char* kVersionEntry = "cane.format_version";
constexpr const char* kVersion = "lm 2";
constexpr const char* kOptionsEntry = "cane.options";
constexpr const char* kTrainingEntry = "cane.training";
// As written by version 0.1.
constexpr const char* kFirstVersionEntry = "format";
constexpr const char* kFirstVersion = "cane-lm model 1";

using Entries = std::map<std::string, std::string>;

// Numbers and booleans become JSON numbers and booleans.
std::string to_json(const Entries& entries) {
  auto json = nlohmann::json::object();
  for (const auto& [name, value] : entries) {
    const auto parsed = nlohmann::json::parse(value, nullptr, false);
    const bool is_plain = parsed.is_number() || parsed.is_boolean();
    json[name] = is_plain ? parsed : nlohmann::json(value);
  }
  return json.dump();
}

Entries from_json(const SafetensorsFile& file, const char* entry) {
  const auto json = nlohmann::json::parse(file.metadata(entry), nullptr, false);
  if (!json.is_object()) {
    throw Error(fmt::format("{}: the entry '{}' of its metadata cannot be read; train again",
                            file.path(), entry));
  }
  Entries entries;
  for (const auto& [name, value] : json.items()) {
    entries[name] = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return entries;
}

Entries entries_under(const SafetensorsFile& file, std::string_view prefix) {
  Entries entries;
  for (const auto& [key, value] : file.metadata()) {
    if (key.starts_with(prefix)) entries[key.substr(prefix.size())] = value;
  }
  return entries;
}

bool has_entry(const SafetensorsFile& file, const char* entry, std::string_view value) {
  const auto found = file.metadata().find(entry);
  return found != file.metadata().end() && found->second == value;
}

}  // namespace

std::map<std::string, std::string> to_metadata(const LmMetadata& model, const std::string& writer) {
  return {{kVersionEntry, kVersion},
          {"cane.writer", writer},
          {kOptionsEntry, to_json(model.options)},
          {kTrainingEntry, to_json(model.training)}};
}

std::optional<LmMetadata> lm_metadata_of(const SafetensorsFile& file) {
  if (has_entry(file, kVersionEntry, kVersion)) {
    return LmMetadata{from_json(file, kOptionsEntry), from_json(file, kTrainingEntry)};
  }
  if (has_entry(file, kFirstVersionEntry, kFirstVersion)) {
    return LmMetadata{entries_under(file, "option."), entries_under(file, "note.")};
  }
  return std::nullopt;
}

}  // namespace cane
