#include "lm/text/vocabulary_tensors.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "lm/file/lm_metadata.h"

namespace cane::lm {

VocabularyTensors::VocabularyTensors(const WordVocabulary& vocabulary)
    : counts_(vocabulary.counts().begin(), vocabulary.counts().end()) {
  for (WordId id = 0; id < vocabulary.size(); ++id) {
    const std::string_view word = vocabulary.word(id);
    bytes_.insert(bytes_.end(), word.begin(), word.end());
    ends_.push_back(bytes_.size());
  }
}

std::vector<TensorToWrite> VocabularyTensors::to_write() const {
  if (counts_.empty()) return {};
  return {tensor_to_write<std::uint64_t>(kLmWordCounts, counts_),
          tensor_to_write<std::uint64_t>(kLmWordEnds, ends_),
          tensor_to_write<std::uint8_t>(kLmWordBytes, bytes_)};
}

bool has_vocabulary(const SafetensorsFile& file) {
  return file.has(kLmWordCounts);
}

WordVocabulary load_vocabulary(const SafetensorsFile& file) {
  const auto counts = file.values<std::uint64_t>(kLmWordCounts);
  const auto ends = file.values<std::uint64_t>(kLmWordEnds);
  const auto bytes = file.values<std::uint8_t>(kLmWordBytes);
  std::vector<std::string> words;
  std::uint64_t begin = 0;
  for (const std::uint64_t end : ends) {
    if (end <= begin || end > bytes.size()) {
      throw Error(fmt::format("{}: word {} of the vocabulary has no place; train again",
                              file.path(), words.size()));
    }
    words.emplace_back(reinterpret_cast<const char*>(bytes.data()) + begin, end - begin);
    begin = end;
  }
  try {
    return WordVocabulary(words, {counts.begin(), counts.end()});
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}; train again", file.path(), error.what()));
  }
}

}  // namespace cane::lm
