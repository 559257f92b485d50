// A text that was read, on disk: a safetensors file named after the source and how it was read. It
// counts only while the source has the same size and time; anything odd in it, and it is as if it
// were not there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/file/cache_source.h"
#include "lm/text/word_vocabulary.h"

namespace cane::lm {

struct CachedTokens {
  std::optional<WordVocabulary> vocabulary;  // where one was stored; all tokens are in it
  std::vector<WordId> tokens;
  WordId largest = 0;
};

class TokenCache {
 public:
  /// None where there is nothing to be cached (standard input) or no place to keep it.
  static std::optional<TokenCache> locate(const std::string& source, const std::string& how,
                                          const std::string& folder);

  std::optional<CachedTokens> load() const;
  /// What went wrong; empty if nothing did.
  std::string store(const WordVocabulary* vocabulary, std::span<const WordId> tokens) const;

 private:
  std::string source_;
  FileStamp stamp_;
  std::string how_;
  std::string path_;
};

}  // namespace cane::lm
