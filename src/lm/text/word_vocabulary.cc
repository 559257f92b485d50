#include "lm/text/word_vocabulary.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <numeric>

#include "cane/error.h"
#include "core/base/bad_line.h"

namespace cane::lm {

WordVocabulary::WordVocabulary(std::span<const std::string> words,
                               std::vector<std::uint64_t> counts)
    : counts_(std::move(counts)) {
  std::string all;
  if (words.size() != counts_.size()) throw Error("the vocabulary has words without counts");
  for (std::size_t id = 0; id < words.size(); ++id) {
    if (words[id].empty()) throw Error(fmt::format("word {} of the vocabulary is empty", id));
    if (words_.find_or_add(words[id]) != id) {
      throw Error(fmt::format("the vocabulary has {} twice", in_quotes(words[id])));
    }
    if (counts_[id] == 0 || (id > 0 && counts_[id] > counts_[id - 1])) {
      throw Error(fmt::format("the counts of the vocabulary are not in order at word {}", id));
    }
    all += words[id];
    all += '\n';
  }
  fingerprint_ = XXH3_64bits(all.data(), all.size());
  unknown_ = words_.find(kUnknown);
  end_of_line_ = words_.find(kEndOfLine);
  if (unknown_ == StringTable::kNone || end_of_line_ == StringTable::kNone) {
    throw Error("the vocabulary lacks <unk> or <eos>");
  }
}

WordId WordVocabulary::find(std::string_view word) const {
  const std::uint32_t id = words_.find(word);
  return id == StringTable::kNone ? unknown_ : id;
}

WordVocabulary choose_words(const StringTable& raw_words, std::span<const std::uint64_t> counts,
                            std::uint64_t lines, const VocabularyOptions& options,
                            std::vector<WordId>& renumbered) {
  constexpr std::uint32_t kSpecials = 2;
  if (options.most_words != 0 && options.most_words <= kSpecials) {
    throw OptionError("vocabulary",
                      fmt::format("{} words are <unk> and <eos> alone", options.most_words),
                      "give more");
  }
  // The two special words come last in the list; a text may contain them literally.
  const std::uint32_t raw = raw_words.size();
  const std::uint32_t unknown = raw;
  const std::uint32_t end_of_line = raw + 1;
  std::vector<std::uint64_t> totals(counts.begin(), counts.end());
  totals.insert(totals.end(), {0, lines});
  std::vector<std::uint32_t> order;
  for (std::uint32_t id = 0; id < raw; ++id) {
    const bool is_unknown = raw_words[id] == WordVocabulary::kUnknown;
    if (is_unknown || raw_words[id] == WordVocabulary::kEndOfLine) {
      totals[is_unknown ? unknown : end_of_line] += totals[id];
    } else {
      order.push_back(id);
    }
  }
  const auto by_count = [&](std::uint32_t a, std::uint32_t b) { return totals[a] > totals[b]; };
  std::stable_sort(order.begin(), order.end(), by_count);
  const auto first_rare = std::partition_point(order.begin(), order.end(), [&](std::uint32_t id) {
    return totals[id] >= options.min_count;
  });
  auto kept = static_cast<std::size_t>(first_rare - order.begin());
  if (options.most_words != 0) {
    kept = std::min<std::size_t>(kept, options.most_words - kSpecials);
  }
  for (std::size_t i = kept; i < order.size(); ++i) totals[unknown] += totals[order[i]];
  order.resize(kept);
  order.insert(order.end(), {unknown, end_of_line});
  for (std::uint64_t& total : totals) total = std::max<std::uint64_t>(total, 1);
  std::stable_sort(order.begin(), order.end(), by_count);

  std::vector<std::string> words;
  std::vector<std::uint64_t> word_counts;
  std::vector<WordId> id_of(totals.size(), StringTable::kNone);
  for (const std::uint32_t id : order) {
    id_of[id] = static_cast<WordId>(words.size());
    words.emplace_back(id == unknown       ? WordVocabulary::kUnknown
                       : id == end_of_line ? WordVocabulary::kEndOfLine
                                           : raw_words[id]);
    word_counts.push_back(totals[id]);
  }
  WordVocabulary vocabulary(words, std::move(word_counts));
  renumbered.resize(raw);
  for (std::uint32_t id = 0; id < raw; ++id) {
    renumbered[id] = id_of[id] != StringTable::kNone ? id_of[id] : vocabulary.find(raw_words[id]);
  }
  return vocabulary;
}

}  // namespace cane::lm
