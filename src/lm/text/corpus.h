// A text as word numbers, with <eos> at the end of each line. Reading a large text takes minutes,
// so the result is cached and reused as long as the source is unchanged.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lm/text/word_vocabulary.h"

namespace cane::lm {

struct CorpusOptions {
  VocabularyOptions vocabulary;
  bool use_cache = true;
  std::string cache_directory;        // empty: as documented for `cane`
  std::uint64_t tokens = 0;           // limit of a training text, but not of its vocabulary; 0: all
  std::uint64_t measured_tokens = 0;  // the same of a text with a known vocabulary
  std::function<void(const std::string&)> note = [](const std::string&) {};
};

struct Corpus {
  WordVocabulary vocabulary;
  std::vector<WordId> tokens;
};

/// Reads a text and builds its vocabulary. Throws Error if the text is empty.
Corpus read_corpus(const std::string& path, const CorpusOptions& options);

/// Reads a text with a known vocabulary.
std::vector<WordId> read_tokens(const std::string& path, const WordVocabulary& vocabulary,
                                const CorpusOptions& options);

}  // namespace cane::lm
