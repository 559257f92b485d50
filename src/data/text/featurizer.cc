#include "data/text/featurizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "cane/names.h"
#include "core/base/bad_line.h"
#include "data/text/feature_options.h"
#include "data/text/number.h"

namespace cane {
namespace {

std::uint64_t classify(ParsedBlock& block, const NumberMap& map) {
  std::uint64_t unseen = 0;
  for (std::uint32_t& label : block.labels) {
    if (label == StringTable::kNone) {
      label = kUnknownClass;
      continue;
    }
    const std::uint32_t number = block.label_numbers[label];
    if (number == StringTable::kNone) {
      ++unseen;
      label = kUnknownClass;
    } else {
      label = map.is_identity ? number : map.class_of[number];
    }
  }
  return unseen;
}

class RowFinisher {
 public:
  RowFinisher(ParsedBlock& block, const NumberMap& map)
      : block_(block), map_(map), feature_of_(block, map) {}

  /// Finishes features [begin, end) and moves them to `target`, which lies at or before `begin`;
  /// returns where they end there.
  std::uint64_t finish(std::uint64_t begin, std::uint64_t end, std::uint64_t target) {
    row_.clear();
    for (std::uint64_t i = begin; i < end; ++i) {
      const FeatureId number = block_.features[i];
      const FeatureId feature = feature_of_(number);
      if (feature < map_.dimension) {
        row_.emplace_back(feature, block_.values[i]);
      } else if (!is_ngram(number)) {
        ++dropped_;
      }
    }
    if (map_.feature_kind != FeatureKind::kIndices) sort_and_merge();
    const std::uint64_t first = target;
    for (const auto& [feature, value] : row_) {
      block_.features[target] = feature;
      block_.values[target++] = value;
    }
    map_.weights.apply(std::span(block_.features).subspan(first, target - first),
                       std::span(block_.values).subspan(first, target - first));
    return target;
  }

  std::uint64_t dropped() const { return dropped_; }

 private:
  // Order equal features by value, so that sums do not depend on the sort.
  void sort_and_merge() {
    std::sort(row_.begin(), row_.end());
    std::size_t kept = 0;
    for (const auto& feature : row_) {
      if (kept > 0 && row_[kept - 1].first == feature.first) {
        row_[kept - 1].second += feature.second;
      } else {
        row_[kept++] = feature;
      }
    }
    row_.resize(kept);
  }

  bool is_ngram(FeatureId number) const {
    return map_.feature_kind == FeatureKind::kWords && number >= ParsedBlock::kNgramMark;
  }

  ParsedBlock& block_;
  const NumberMap& map_;
  BlockFeatures feature_of_;
  std::vector<std::pair<FeatureId, float>> row_;
  std::uint64_t dropped_ = 0;
};

constexpr const char* kTextName = "the text";

DataOptions options_of_text() {
  DataOptions options;
  options.multi_label = MultiLabel::kFirst;
  options.require_labels = false;
  return options;
}

std::vector<std::uint32_t> numbers_of(const StringTable& names, const StringTable& known) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(names.size());
  for (std::uint32_t name = 0; name < names.size(); ++name) {
    numbers.push_back(known.find(names[name]));
  }
  return numbers;
}

}  // namespace

BlockFeatures::BlockFeatures(const ParsedBlock& block, const NumberMap& map)
    : block_(block), map_(map) {
  if (map.ngrams == nullptr) return;
  ngrams_.reserve(block.ngram_hashes.size());
  for (const std::uint64_t hash : block.ngram_hashes) {
    const std::uint32_t place = map.ngrams->find(hash);
    ngrams_.push_back(place == NgramDictionary::kNone ? NgramDictionary::kNone
                                                      : map.first_ngram + place);
  }
}

FinishedCounts finish_block(ParsedBlock& block, const NumberMap& map) {
  FinishedCounts counts;
  counts.unseen_labels = classify(block, map);
  const bool nothing_to_do = map.feature_kind == FeatureKind::kIndices &&
                             map.weights.do_nothing() && block.dimension <= map.dimension;
  if (nothing_to_do) return counts;
  RowFinisher finisher(block, map);
  std::uint64_t begin = 0;
  std::uint64_t target = 0;
  for (std::uint64_t& end : block.ends) {
    target = finisher.finish(begin, end, target);
    begin = std::exchange(end, target);
  }
  block.features.resize(target);
  block.values.resize(target);
  counts.dropped_features = finisher.dropped();
  return counts;
}

BlockParser parser_for(const TextFormat& format, const TextHeader& header,
                       const Vocabulary& vocabulary, const DataOptions& options) {
  return {.format = &format,
          .header = header,
          .feature_kind = vocabulary.feature_kind,
          .hash_bits = vocabulary.hash_bits,
          .ngrams = vocabulary.ngrams,
          .tokenizer = format.is_text ? vocabulary.tokenizer : TokenizerKind::kSpaces,
          .takes_negative = vocabulary.weights == FeatureWeights::kCount,
          .multi_label = multi_label_of(options, &vocabulary),
          .on_error = options.on_error,
          .require_labels = options.require_labels};
}

Featurizer::Featurizer(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
  for (const std::string& label : vocabulary.labels) labels_.find_or_add(label);
  for (const std::string& word : vocabulary.words) words_.find_or_add(word);
  if (has_ngram_dictionary(vocabulary)) ngrams_ = NgramDictionary(vocabulary.ngram_hashes);
  if (!vocabulary.columns.empty()) {
    table_ = std::make_shared<const Table>(choose_columns(
        kTextName, {.columns = {}, .is_open = true}, options_of_text(), &vocabulary));
  }
}

ParsedBlock Featurizer::featurize(const TextBlock& text, const BlockParser& parser) const {
  ParsedBlock block = parser.parse(text);
  block.label_numbers = numbers_of(block.label_names, labels_);
  block.word_numbers = numbers_of(block.words, words_);
  block.ngram_hashes = block.ngrams.take();
  block.dropped_features =
      finish_block(block, {.feature_kind = vocabulary_.feature_kind,
                           .dimension = vocabulary_.dimension,
                           .first_ngram = static_cast<FeatureId>(vocabulary_.words.size()),
                           .ngrams = has_ngram_dictionary(vocabulary_) ? &ngrams_ : nullptr,
                           .weights = RowWeights(vocabulary_),
                           .is_identity = true,
                           .class_of = {},
                           .feature_of = {}})
          .dropped_features;
  return block;
}

std::shared_ptr<const Table> Featurizer::table_for(const TextFormat& format,
                                                   std::string_view line) const {
  if (format.sample == nullptr) return nullptr;
  if (format.format != Format::kJsonl) {
    throw Error(fmt::format("{}: a row of {} lacks the names of its columns; give a JSON object",
                            kTextName, name_of(format.format)));
  }
  if (table_ != nullptr) return table_;
  std::deque<TextBlock> blocks = {TextBlock{std::string(line), false}};
  const FormatSearch search = {.known = &vocabulary_, .options = options_of_text()};
  TableStart start = {blocks, search, '\0'};
  return std::make_shared<const Table>(
      choose_columns(kTextName, format.sample(start), search.options, &vocabulary_));
}

BlockParser Featurizer::parser_of(std::string_view line, Format format) const {
  const bool knows_words = vocabulary_.feature_kind != FeatureKind::kIndices;
  const TextFormat* rules =
      format == Format::kAuto ? recognise_line(line, false) : &text_format(format);
  const bool fits =
      rules != nullptr && (rules->sample != nullptr ? rules->format == Format::kJsonl
                                                    : rules->has_words == knows_words);
  if (rules == nullptr || (format == Format::kAuto && !fits)) {
    rules = &fallback_format(vocabulary_);
  }
  const DataOptions options = options_of_text();
  TextHeader header;
  header.table = table_for(*rules, line);
  check_feature_options(kTextName, header.table ? header.table->has_words : rules->has_words,
                        options, &vocabulary_);
  BlockParser parser = parser_for(*rules, header, vocabulary_, options);
  parser.line_bytes = std::max(parser.line_bytes, line.size());
  return parser;
}

ParsedBlock Featurizer::featurize(std::string_view text, Format format) const {
  TextBlock line{std::string(text), false};
  std::replace(line.text.begin(), line.text.end(), '\n', ' ');
  ParsedBlock block = featurize(line, parser_of(line.text, format));
  if (block.bad_lines > 0) throw Error(fmt::format("{}: {}", kTextName, block.first_bad_message));
  if (block.ends.empty()) {  // only blanks or a comment: no features
    block.labels.push_back(kUnknownClass);
    block.ends.push_back(0);
  }
  return block;
}

}  // namespace cane
