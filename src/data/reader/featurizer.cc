#include "data/reader/featurizer.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "cane/names.h"
#include "core/base/bad_line.h"
#include "data/blocks/number_map.h"
#include "data/reader/formats.h"
#include "data/vocabulary/feature_options.h"

namespace cane {
namespace {

constexpr const char* kTextName = "the text";

DataOptions options_of_text() {
  DataOptions options;
  options.multi_label = MultiLabel::kFirst;
  options.require_labels = false;
  return options;
}

std::vector<FileId> ids_of(const StringTable& names, const StringTable& known) {
  std::vector<FileId> ids;
  ids.reserve(names.size());
  for (std::uint32_t name = 0; name < names.size(); ++name) {
    ids.push_back(FileId{known.find(names[name])});
  }
  return ids;
}

}  // namespace

Featurizer::Featurizer(const Vocabulary& vocabulary) : vocabulary_(vocabulary) {
  for (const std::string& label : vocabulary.labels) labels_.find_or_add(label);
  for (const std::string& word : vocabulary.words) words_.find_or_add(word);
  if (has_ngram_dictionary(vocabulary)) ngrams_ = NgramDictionary(vocabulary.ngram_hashes);
  if (!vocabulary.columns.empty()) {
    table_ = std::make_shared<const Table>(
        choose_columns(kTextName, {.columns = {}, .is_open = true}, options_of_text(), &vocabulary)
            .table);
  }
}

ParsedBlock Featurizer::featurize(const TextBlock& text, const BlockParser& parser) const {
  ParsedBlock block = parser.parse(text);
  block.label_ids = ids_of(block.label_names, labels_);
  block.word_ids = ids_of(block.word_names, words_);
  block.ngram_hashes = block.ngrams.take();
  block.dropped_features =
      finish_block(block, {.feature_kind = vocabulary_.feature_kind,
                           .dimension = vocabulary_.dimension,
                           .first_ngram = static_cast<FeatureId>(vocabulary_.words.size()),
                           .ngrams = has_ngram_dictionary(vocabulary_) ? &ngrams_ : nullptr,
                           .weights = RowWeights(vocabulary_),
                           .marks_empty = parser.marks_empty(),
                           .is_identity = true,
                           .class_of = {},
                           .feature_of = {}})
          .dropped_features;
  return block;
}

BlockParser Featurizer::parser_of(std::string_view line, Format format) const {
  const bool knows_words = vocabulary_.feature_kind != FeatureKind::kIndices;
  const TextFormat* rules =
      format == Format::kAuto ? recognise_line(line, false) : &text_format(format);
  const bool fits = rules != nullptr && (rules->is_table ? rules->format == Format::kJsonl
                                                         : rules->has_words == knows_words);
  if (rules == nullptr || (format == Format::kAuto && !fits)) {
    rules = &fallback_format(vocabulary_);
  }
  const DataOptions options = options_of_text();
  TextHeader header;
  bool has_words = rules->has_words;
  if (rules->is_table && rules->format != Format::kJsonl) {
    throw Error(fmt::format("{}: a row of {} lacks the names of its columns; give a JSON object",
                            kTextName, name_of(rules->format)));
  }
  if (rules->is_table && table_ != nullptr) {
    header.table = table_;
    has_words = knows_words;
  } else if (rules->is_table) {
    ColumnChoice columns =
        choose_columns(kTextName, sample_json({TextBlock{std::string(line)}}, &vocabulary_),
                       options, &vocabulary_);
    has_words = columns.has_words;
    header.table = std::make_shared<const Table>(std::move(columns.table));
  }
  check_feature_options(kTextName, has_words, options, &vocabulary_);
  BlockParser parser = parser_for(*rules, header, vocabulary_, options);
  parser.line_bytes = std::max(parser.line_bytes, line.size());
  return parser;
}

ParsedBlock Featurizer::featurize(std::string_view text, Format format) const {
  TextBlock line{std::string(text), false};
  std::replace(line.text.begin(), line.text.end(), '\n', ' ');
  ParsedBlock block = featurize(line, parser_of(line.text, format));
  if (block.bad_lines > 0) throw Error(fmt::format("{}: {}", kTextName, block.first_bad_message));
  if (block.size() == 0) {  // only blanks or a comment: no features
    block.classes.push_back(kUnknownClass);
    block.ends.push_back(0);
  }
  return block;
}

}  // namespace cane
