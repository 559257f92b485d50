#include "app/verb.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/json_lines.h"
#include "app/options.h"
#include "app/output.h"
#include "cane/error.h"
#include "cane/model.h"
#include "core/base/words.h"
#include "lm/file/lm_metadata.h"

namespace cane::cli {
namespace {

struct InspectOptions {
  std::string model_path;
  bool labels = false;
  bool json = false;
};

std::string one_a_line(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += name + '\n';
  return text;
}

std::string describe(const Model& model, const InspectOptions& options) {
  if (options.json) {
    Json json = Json::parse(model.summary());
    if (options.labels) json["labels"] = model.labels();
    return json_text(json) + '\n';
  }
  if (options.labels) return one_a_line(model.labels());
  std::string text;
  for (const auto& [name, value] : model.description()) {
    text += fmt::format("{:<18} {}\n", name, value);
  }
  return text;
}

std::vector<std::string> words_of(const SafetensorsFile& file) {
  const auto bytes = file.values<std::uint8_t>(kLmWordBytes);
  std::vector<std::string> words;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : file.values<std::uint64_t>(kLmWordEnds)) {
    if (end < begin || end > bytes.size()) {
      throw Error(fmt::format("{}: word {} of the vocabulary has no place; train again",
                              file.path(), words.size()));
    }
    words.emplace_back(reinterpret_cast<const char*>(bytes.data()) + begin, end - begin);
    begin = end;
  }
  return words;
}

// Words_with_underscores, as everywhere in JSON.
std::string key_of(std::string name) {
  std::ranges::replace(name, '-', '_');
  return name;
}

bool is_learned(const std::string& tensor) {
  return tensor != kLmWordCounts && tensor != kLmWordEnds && tensor != kLmWordBytes;
}

std::string lm_json(const SafetensorsFile& file, const LmMetadata& metadata,
                    const std::vector<std::string>& words, bool with_labels) {
  Json model = Json::object();
  for (const auto& [name, value] : metadata.options) model[key_of(name)] = json_value_of(value);
  Json training = Json::object();
  for (const auto& [name, value] : metadata.training) training[key_of(name)] = json_value_of(value);
  Json tensors = Json::array();
  for (const auto& [name, tensor] : file.tensors()) {
    if (!is_learned(name)) continue;
    Json& entry = tensors.emplace_back(Json::object());
    entry["name"] = name;
    entry["shape"] = std::vector<std::uint32_t>(tensor.shape.begin(), tensor.shape.end());
  }
  Json json = Json::object();
  json["kind"] = "language_model";
  json["words"] = words.size();
  json["model"] = model;
  json["training"] = training;
  json["tensors"] = tensors;
  if (with_labels) json["labels"] = words;
  return json_text(json) + '\n';
}

std::string lm_text(const SafetensorsFile& file, const LmMetadata& metadata,
                    const std::vector<std::string>& words) {
  constexpr std::size_t kMaxListed = 8;
  const auto counts = file.values<std::uint64_t>(kLmWordCounts);
  std::string frequent;
  for (std::size_t id = 0; id < std::min({words.size(), counts.size(), kMaxListed}); ++id) {
    frequent += fmt::format("{}{} ({})", id == 0 ? "" : ", ", words[id], count_text(counts[id]));
  }
  std::string text = fmt::format("{:<24} {}\n", "words", count_text(words.size()));
  const auto add = [&text](const std::string& name, const std::string& value) {
    text += fmt::format("  {:<22} {}\n", name, value);
  };
  text += fmt::format("{:<24} {}\n\nModel\n", "most frequent", frequent);
  for (const auto& [name, value] : metadata.options) add(name, value);
  text += "\nTraining\n";
  for (const auto& [name, value] : metadata.training) add(name, value);
  text += "\nTensors\n";
  std::uint64_t weights = 0;
  for (const auto& [name, tensor] : file.tensors()) {
    if (!is_learned(name)) continue;
    std::uint64_t size = 1;
    for (const std::uint64_t length : tensor.shape) size *= length;
    weights += size;
    add(name, fmt::format("{}", fmt::join(tensor.shape, " x ")));
  }
  add("weights in all", count_text(weights));
  return text;
}

std::string describe_file(const InspectOptions& options) {
  const SafetensorsFile file(options.model_path);
  const std::optional<LmMetadata> language_model = lm_metadata_of(file);
  if (!language_model) return describe(Model::load(options.model_path), options);
  const std::vector<std::string> words = words_of(file);
  if (options.json) return lm_json(file, *language_model, words, options.labels);
  return options.labels ? one_a_line(words) : lm_text(file, *language_model, words);
}

}  // namespace

int run_inspect(const Verb& verb, const Arguments& arguments) {
  InspectOptions inspect;
  Options options(verb, fmt::format("Example:\n  {0} inspect model.safetensors\n"
                                    "  {0} inspect model.safetensors --labels | head",
                                    verb.program));
  options.positional("MODEL", inspect.model_path,
                     "what `cane train` or `cane-lm train` has written");
  options.flag("labels", inspect.labels, "print the labels or words, one a line");
  options.flag("json", inspect.json, "print one JSON object");
  if (!options.parse(arguments)) return kExitDone;
  Output output("");
  output.write(describe_file(inspect));
  output.finish();
  return kExitDone;
}

}  // namespace cane::cli
