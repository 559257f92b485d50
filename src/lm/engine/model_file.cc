#include "lm/engine/model_file.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "lm/engine/tensor_file.h"
#include "lm/text/vocabulary_tensors.h"

namespace cane::lm {
namespace {

constexpr const char* kModelFormat = "cane-lm model 1";
constexpr std::string_view kOption = "option.";
constexpr std::string_view kNote = "note.";

std::map<std::string, std::string> entries_under(const SafetensorsFile& file,
                                                 std::string_view prefix) {
  std::map<std::string, std::string> entries;
  for (const auto& [key, value] : file.metadata()) {
    if (key.starts_with(prefix)) entries[key.substr(prefix.size())] = value;
  }
  return entries;
}

}  // namespace

void save_model(const std::string& path, const LanguageModel& model, const ModelNotes& notes) {
  std::map<std::string, std::string> metadata = {{"format", kModelFormat},
                                                 {"writer", "cane-lm " CANE_VERSION}};
  for (const auto& [name, value] : as_text(model.options()))
    metadata[kOption.data() + name] = value;
  for (const auto& [name, value] : notes) metadata[kNote.data() + name] = value;
  const VocabularyTensors words(model.vocabulary());
  TensorsToWrite tensors;
  for (const TensorToWrite& tensor : words.to_write()) tensors.add(tensor);
  for (const auto& [name, tensor] : model.tensors()) tensors.add(name, tensor);
  tensors.write(path, metadata);
}

LoadedModel load_model(const std::string& path, torch::Device device) {
  const SafetensorsFile file(path);
  const auto format = file.metadata().find("format");
  if (format == file.metadata().end() || format->second != kModelFormat) {
    throw Error(fmt::format(
        "{}: this is no language model, or one of another version; give what `cane-lm train` wrote",
        path));
  }
  try {
    const ModelOptions options = model_options_from(entries_under(file, kOption));
    auto vocabulary = std::make_shared<const WordVocabulary>(load_vocabulary(file));
    auto model = std::make_shared<LanguageModel>(options, std::move(vocabulary), device);
    std::size_t known = VocabularyTensors(model->vocabulary()).to_write().size();
    for (const auto& [name, tensor] : model->tensors()) {
      copy_from(file, name, tensor);
      ++known;
    }
    if (known != file.tensors().size()) throw Error("it has tensors that are not of this model");
    model->eval();
    return {std::move(model), entries_under(file, kNote)};
  } catch (const Error& error) {
    const std::string text = error.what();
    throw Error(text.starts_with(path) ? text : fmt::format("{}: {}", path, text));
  }
}

}  // namespace cane::lm
