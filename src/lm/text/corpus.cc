#include "lm/text/corpus.h"

#include <fmt/format.h>

#include <optional>

#include "cane/error.h"
#include "core/file/cache_source.h"
#include "core/file/text_source.h"
#include "lm/text/text_words.h"
#include "lm/text/token_cache.h"

namespace cane::lm {
namespace {

void check_not_empty(const std::string& path, const std::vector<WordId>& tokens) {
  if (!tokens.empty()) return;
  throw Error(fmt::format("{}: there is no word in it; give a text, a sentence or paragraph a line",
                          source_name(path)));
}

Corpus parse_corpus(const std::string& path, const VocabularyOptions& options) {
  StringTable words;
  std::vector<std::uint64_t> counts;
  std::vector<WordId> tokens;
  std::uint64_t lines = 0;
  // A number that no word gets marks the end of a line until the words are numbered.
  read_words(path, {[&](std::string_view word) {
                      const std::uint32_t id = words.find_or_add(word);
                      if (id == counts.size()) counts.push_back(0);
                      ++counts[id];
                      tokens.push_back(id);
                    },
                    [&] {
                      ++lines;
                      tokens.push_back(StringTable::kNone);
                    }});
  check_not_empty(path, tokens);
  std::vector<WordId> renumbered;
  WordVocabulary vocabulary = choose_words(words, counts, lines, options, renumbered);
  for (WordId& token : tokens) {
    token = token == StringTable::kNone ? vocabulary.end_of_line() : renumbered[token];
  }
  return {std::move(vocabulary), std::move(tokens)};
}

std::vector<WordId> parse_tokens(const std::string& path, const WordVocabulary& vocabulary) {
  std::vector<WordId> tokens;
  read_words(path, {[&](std::string_view word) { tokens.push_back(vocabulary.find(word)); },
                    [&] { tokens.push_back(vocabulary.end_of_line()); }});
  check_not_empty(path, tokens);
  return tokens;
}

void store(const TokenCache& cache, const WordVocabulary* vocabulary,
           const std::vector<WordId>& tokens, const CorpusOptions& options) {
  const std::string problem = cache.store(vocabulary, tokens);
  if (!problem.empty()) options.note(fmt::format("the cache could not be written: {}", problem));
}

std::optional<TokenCache> cache_of(const std::string& path, const std::string& key,
                                   const CorpusOptions& options) {
  if (options.use_cache) return TokenCache::locate(path, key, options.cache_directory);
  if (options.cache_directory.empty()) return std::nullopt;
  throw OptionError("cache_directory", "`use_cache` says to keep nothing", "leave one of them out");
}

// The cache keeps whole texts, so that another limit does not parse them again.
void keep_first(std::vector<WordId>& tokens, std::uint64_t most) {
  if (most > 0 && most < tokens.size()) tokens.resize(most);
}

Corpus read_whole_corpus(const std::string& path, const CorpusOptions& options) {
  const std::string key =
      fmt::format("text {} {}", options.vocabulary.min_count, options.vocabulary.most_words);
  const auto cache = cache_of(path, key, options);
  if (cache) {
    if (std::optional<CachedTokens> cached = cache->load(); cached && cached->vocabulary) {
      return {std::move(*cached->vocabulary), std::move(cached->tokens)};
    }
  }
  const auto before = stamp_of(path);
  Corpus corpus = parse_corpus(path, options.vocabulary);
  check_unchanged(path, before);
  if (cache) store(*cache, &corpus.vocabulary, corpus.tokens, options);
  return corpus;
}

std::vector<WordId> read_all_tokens(const std::string& path, const WordVocabulary& vocabulary,
                                    const CorpusOptions& options) {
  const std::string key = fmt::format("known {:016x}", vocabulary.fingerprint());
  const auto cache = cache_of(path, key, options);
  if (cache) {
    std::optional<CachedTokens> cached = cache->load();
    if (cached && cached->largest < vocabulary.size()) return std::move(cached->tokens);
  }
  const auto before = stamp_of(path);
  std::vector<WordId> tokens = parse_tokens(path, vocabulary);
  check_unchanged(path, before);
  if (cache) store(*cache, nullptr, tokens, options);
  return tokens;
}

}  // namespace

Corpus read_corpus(const std::string& path, const CorpusOptions& options) {
  Corpus corpus = read_whole_corpus(path, options);
  keep_first(corpus.tokens, options.tokens);
  return corpus;
}

std::vector<WordId> read_tokens(const std::string& path, const WordVocabulary& vocabulary,
                                const CorpusOptions& options) {
  std::vector<WordId> tokens = read_all_tokens(path, vocabulary, options);
  keep_first(tokens, options.measured_tokens);
  return tokens;
}

}  // namespace cane::lm
