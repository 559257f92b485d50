#include "data/text/feature_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "data/text/featurizer.h"
#include "data/text/ngram_dictionary.h"
#include "data/text/tokenizer.h"

namespace cane {
namespace {

std::string joined(std::string_view name_space, std::string_view name) {
  return name_space.empty() ? std::string(name) : fmt::format("{}^{}", name_space, name);
}

std::vector<std::string> units_of(std::string_view word) {
  std::vector<std::string> units = {"<"};
  for (const char byte : word) {
    const bool continues = (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
    if (continues && units.size() > 1) {
      units.back() += byte;
    } else {
      units.emplace_back(1, byte);
    }
  }
  units.emplace_back(">");
  return units;
}

void append_word_runs(std::span<const WordFeature> words, std::uint32_t longest,
                      std::vector<std::string>& texts) {
  for (std::size_t first = 0; first + 1 < words.size(); ++first) {
    std::string text = joined(words[first].name_space, words[first].name);
    const std::size_t end = std::min<std::size_t>(words.size(), first + longest);
    for (std::size_t i = first + 1; i < end; ++i) {
      text.append(" ").append(words[i].name);
      texts.push_back(text);
    }
  }
}

void append_char_runs(const WordFeature& word, const CharNgrams& lengths,
                      std::vector<std::string>& texts) {
  const std::vector<std::string> units = units_of(word.name);
  for (std::size_t first = 0; first < units.size(); ++first) {
    const std::size_t end = std::min<std::size_t>(units.size(), first + lengths.max);
    std::string text;
    for (std::size_t i = first; i < end; ++i) {
      text += units[i];
      const std::size_t length = i + 1 - first;
      const bool is_mark = length == 1 && (i == 0 || i + 1 == units.size());
      if (length >= lengths.min && !is_mark) texts.push_back(joined(word.name_space, text));
    }
  }
}

}  // namespace

std::vector<std::string> ngram_texts(std::span<const WordFeature> words, const Ngrams& ngrams) {
  std::vector<std::string> texts;
  while (!words.empty()) {
    const auto end = std::ranges::find_if(words, [&](const WordFeature& word) {
      return word.name_space != words.front().name_space;
    });
    const auto run = words.first(static_cast<std::size_t>(end - words.begin()));
    if (ngrams.words > 1) append_word_runs(run, ngrams.words, texts);
    if (ngrams.characters.max > 0) {
      for (const WordFeature& word : run) append_char_runs(word, ngrams.characters, texts);
    }
    words = words.subspan(run.size());
  }
  return texts;
}

LineNames::LineNames(std::string_view line, const BlockParser& parser, const Vocabulary& vocabulary)
    : vocabulary_(vocabulary) {
  if (vocabulary.feature_kind == FeatureKind::kIndices) {
    FeatureId number = 0;
    for (const TableColumn& column : vocabulary.columns) {
      if (column.role == ColumnRole::kNumber) add(number++, column.name);
    }
    return;
  }
  Example example;
  parser.format->parse(line, parser.header, example);
  std::vector<WordFeature> words;
  std::vector<std::string> kept;  // what the words point to
  Tokenizer tokenizer(parser.tokenizer);
  for (const WordFeature& piece : example.words) {
    tokenizer.tokenize(piece.name, [&](std::string_view word) { kept.emplace_back(word); });
    words.resize(kept.size(), {piece.name_space, {}, piece.value});
  }
  for (std::size_t i = 0; i < words.size(); ++i) words[i].name = kept[i];

  const bool is_hashed = vocabulary.feature_kind == FeatureKind::kHashedWords;
  if (is_hashed) {
    for (const WordFeature& word : words) {
      const std::string name = joined(word.name_space, word.name);
      add(hashed_word(name, vocabulary.hash_bits), name);
    }
    for (const ColumnFeature& column : example.columns) {
      const std::string name = column_feature(column.column->feature, column.text);
      add(hashed_word(name, vocabulary.hash_bits), name);
    }
  }
  if (!vocabulary.ngrams.any()) return;
  std::vector<std::uint64_t> hashes;
  std::vector<float> values;
  NgramHasher(vocabulary.ngrams).append(words, hashes, values);
  const std::vector<std::string> texts = ngram_texts(words, vocabulary.ngrams);
  const NgramDictionary dictionary(vocabulary.ngram_hashes);
  const auto first_ngram = static_cast<FeatureId>(vocabulary.words.size());
  for (std::size_t i = 0; i < hashes.size(); ++i) {
    if (has_ngram_dictionary(vocabulary)) {
      const std::uint32_t place = dictionary.find(hashes[i]);
      if (place != NgramDictionary::kNone) add(first_ngram + place, texts[i]);
    } else {
      const std::uint32_t bits = is_hashed ? vocabulary.hash_bits : vocabulary.ngrams.bits;
      add(first_ngram + static_cast<FeatureId>(hashes[i] >> (64 - bits)), texts[i]);
    }
  }
}

void LineNames::add(FeatureId feature, const std::string& name) {
  std::vector<std::string>& names = names_[feature];
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

std::string LineNames::name(FeatureId feature) const {
  if (feature < vocabulary_.words.size()) return vocabulary_.words[feature];
  const auto found = names_.find(feature);
  return found == names_.end() ? std::to_string(feature)
                               : fmt::format("{}", fmt::join(found->second, " | "));
}

}  // namespace cane
