#include "lm/engine/model_file.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "cane/version.h"
#include "core/file/file_kind.h"
#include "lm/engine/tensor_file.h"
#include "lm/file/lm_metadata.h"
#include "lm/text/vocabulary_tensors.h"

namespace cane::lm {

void save_model(const std::string& path, const LanguageModel& model, const ModelNotes& notes) {
  const VocabularyTensors words(model.vocabulary());
  TensorsToWrite tensors;
  for (const TensorToWrite& tensor : words.to_write()) tensors.add(tensor);
  for (const auto& [name, tensor] : model.tensors()) tensors.add(name, tensor);
  tensors.write(path, to_metadata({as_text(model.options()), notes}, "cane-lm " + version()));
}

LoadedModel load_model(const std::string& path, torch::Device device) {
  const SafetensorsFile file(path);
  const std::optional<LmMetadata> metadata = lm_metadata_of(file);
  const FileKind kind = kind_of_file(path);
  if (kind == FileKind::kModel || kind == FileKind::kCheckpoint) {
    throw Error(fmt::format("{}: it is {}; use `cane` for it, or give what `cane-lm train` wrote",
                            path, kind_text(kind)));
  }
  if (!metadata) {
    throw Error(fmt::format(
        "{}: this is no language model, or one of another version; give what `cane-lm train` wrote",
        path));
  }
  try {
    const ModelOptions options = model_options_from(metadata->options, writer_of(file.metadata()));
    auto vocabulary = std::make_shared<const WordVocabulary>(load_vocabulary(file));
    auto model = std::make_shared<LanguageModel>(options, std::move(vocabulary), device);
    std::size_t known = VocabularyTensors(model->vocabulary()).to_write().size();
    for (const auto& [name, tensor] : model->tensors()) {
      copy_from(file, name, tensor);
      ++known;
    }
    if (known != file.tensors().size()) throw Error("it has tensors that are not of this model");
    model->eval();
    return {std::move(model), metadata->training};
  } catch (const Error& error) {
    const std::string text = error.what();
    throw Error(text.starts_with(path) ? text : fmt::format("{}: {}", path, text));
  }
}

}  // namespace cane::lm
