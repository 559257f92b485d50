#include "data/text/feature_names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "data/blocks/ngram_dictionary.h"
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

}  // namespace

std::vector<std::string> ngram_texts(std::span<const WordFeature> words, const Ngrams& ngrams) {
  std::vector<std::string> texts;
  const auto add_words = [&](std::span<const WordFeature> run, std::size_t first, std::size_t end,
                             std::uint64_t) {
    std::string text = joined(run[first].name_space, run[first].name);
    for (std::size_t i = first + 1; i < end; ++i) text.append(" ").append(run[i].name);
    texts.push_back(std::move(text));
  };
  const auto add_chars = [&](const WordFeature& word, std::size_t first, std::size_t end,
                             std::uint64_t) {
    const std::vector<std::string> units = units_of(word.name);
    std::string text;
    for (std::size_t i = first; i < end; ++i) text += units[i];
    texts.push_back(joined(word.name_space, text));
  };
  NgramHasher(ngrams).visit(words, add_words, add_chars);
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
