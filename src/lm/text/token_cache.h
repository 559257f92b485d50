// A cache on disk for a text that was read: a safetensors file named after the source and the way
// it was read. It is valid only while the source has the same size and time; a cache with any
// defect is ignored.
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
  /// None if there is nothing to cache (standard input) or no place to keep it.
  static std::optional<TokenCache> locate(const std::string& source, const std::string& how,
                                          const std::string& folder);

  std::optional<CachedTokens> load() const;
  /// The error message; empty on success.
  std::string store(const WordVocabulary* vocabulary, std::span<const WordId> tokens) const;

 private:
  std::string source_;
  FileStamp stamp_;
  std::string how_;
  std::string path_;
};

}  // namespace cane::lm
