#include <fmt/format.h>

#include "app/json.h"
#include "cli/cane-lm/common_options.h"
#include "cli/cane-lm/lm_verbs.h"
#include "core/base/words.h"
#include "lm/engine/model_file.h"

namespace cane::lm {
namespace {

constexpr const char* kInspectClosing =
    "Example:\n"
    "  cane-lm inspect ptb.safetensors";

void print_json(const LoadedModel& loaded) {
  cli::JsonObject model;
  for (const auto& [name, value] : as_text(loaded.model->options())) model.set_parsed(name, value);
  cli::JsonObject training;
  for (const auto& [name, value] : loaded.notes) training.set_parsed(name, value);
  std::vector<cli::JsonObject> tensors;
  for (const auto& [name, tensor] : loaded.model->tensors()) {
    cli::JsonObject& entry = tensors.emplace_back();
    entry.set("name", name);
    entry.set("shape", std::vector<std::uint32_t>(tensor.sizes().begin(), tensor.sizes().end()));
  }
  cli::JsonObject json;
  json.set("words", loaded.model->vocabulary().size());
  json.set("model", model);
  json.set("training", training);
  json.set("tensors", tensors);
  fmt::print("{}\n", json.text());
}

void print_text(const LoadedModel& loaded) {
  const WordVocabulary& vocabulary = loaded.model->vocabulary();
  fmt::print("{:<24} {}\n", "words", cli::count_text(vocabulary.size()));
  std::string frequent;
  for (WordId id = 0; id < std::min<WordId>(vocabulary.size(), 8); ++id) {
    frequent += fmt::format("{}{} ({})", id == 0 ? "" : ", ", vocabulary.word(id),
                            cli::count_text(vocabulary.counts()[id]));
  }
  fmt::print("{:<24} {}\n\nModel\n", "most frequent", frequent);
  for (const auto& [name, value] : as_text(loaded.model->options())) {
    fmt::print("  {:<22} {}\n", name, value);
  }
  fmt::print("\nTraining\n");
  for (const auto& [name, value] : loaded.notes) fmt::print("  {:<22} {}\n", name, value);
  fmt::print("\nTensors\n");
  std::int64_t weights = 0;
  for (const auto& [name, tensor] : loaded.model->tensors()) {
    std::string shape;
    for (const std::int64_t size : tensor.sizes()) {
      shape += fmt::format("{}{}", shape.empty() ? "" : " x ", size);
    }
    fmt::print("  {:<22} {}\n", name, shape);
    weights += tensor.numel();
  }
  fmt::print("  {:<22} {}\n", "weights in all",
             cli::count_text(static_cast<std::uint64_t>(weights)));
}

}  // namespace

int run_inspect(const Verb& verb, const Arguments& arguments) {
  std::string model_path;
  bool json = false;
  cli::Options options(verb, kInspectClosing);
  options.positional("MODEL", model_path, "what `cane-lm train` has written");
  options.flag("json", json, "print one JSON object");
  if (!options.parse(arguments)) return cli::kExitDone;
  const LoadedModel loaded = load_model(model_path, torch::kCPU);
  if (json) {
    print_json(loaded);
  } else {
    print_text(loaded);
  }
  return cli::kExitDone;
}

}  // namespace cane::lm
