#include "data/text/block_parser.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "core/base/bad_line.h"
#include "data/text/csv_record.h"
#include "data/text/ngram_hasher.h"
#include "data/text/number.h"
#include "data/text/tokenizer.h"
#include "data/vocabulary/feature_options.h"

namespace cane {
namespace {

bool is_control(char character) {
  return static_cast<unsigned char>(character) < 0x20 && character != '\t' && character != '\r' &&
         character != '\n';
}

void check_text(std::string_view line) {
  const auto* const control = std::find_if(line.begin(), line.end(), is_control);
  if (control == line.end()) return;
  throw BadLine{fmt::format(
      "byte 0x{:02x} at column {} does not belong into text; the file may be damaged or binary",
      static_cast<unsigned>(static_cast<unsigned char>(*control)), control - line.begin() + 1)};
}

bool is_utf8(std::string_view text) {
  return simdjson::validate_utf8(text.data(), text.size());
}

// Records of more lines are rare, and quotes that are not closed are not.
constexpr std::uint64_t kLongRecord = 50;

// One branch-free pass over the whole block avoids checking each line.
bool has_control_bytes(std::string_view text) {
  unsigned found = 0;
  for (const char character : text) {
    found |= static_cast<unsigned>(is_control(character));
  }
  return found != 0;
}

class BlockBuilder {
 public:
  explicit BlockBuilder(const BlockParser& parser)
      : parser_(parser), tokenizer_(parser.tokenizer), hasher_(parser.ngrams) {}

  void add_line(std::string_view line, bool check_bytes) {
    if (line.size() > parser_.line_bytes) reject_long_line();
    if (check_bytes) check_text(line);
    example_.clear();
    parser_.format->parse(line, parser_.header, example_);
    if (example_.is_blank) return add_gap(GapKind::kBlank);
    check_labels();
    if (parser_.tokenizer != TokenizerKind::kSpaces) tokenize();
    if (parser_.feature_kind != FeatureKind::kIndices) {
      number_words();
    } else {
      if (parser_.header.table != nullptr) number_columns();
      check_size();
    }
    if (parser_.header.table != nullptr) look_at_row();
    store();
  }

  [[noreturn]] void reject_long_line() const {
    if (parser_.header.separator != '\0') {
      throw BadLine{
          fmt::format("the row is longer than {} bytes; close the quote of a field that is left "
                      "open, or pass it over with `on_error skip`",
                      parser_.line_bytes)};
    }
    throw BadLine{
        fmt::format("the line is longer than {} bytes; split it, or pass it over with `on_error "
                    "skip`",
                    parser_.line_bytes)};
  }

  /// A row without features, where each is an example.
  void add_gap(GapKind kind) {
    if (!parser_.every_row) return;
    if (!block_.gaps.empty() && block_.gaps.back().example == block_.size()) block_.gaps.pop_back();
    block_.gaps.push_back({block_.size(), kind});
    example_.clear();
    names_.clear();
    store();
  }

  void find(Finding::Kind kind, std::uint64_t lines = 1) {
    Finding& finding = block_.findings[kind];
    if (finding.count++ == 0) finding = {1, block_.lines, lines};
  }

  ParsedBlock& block() { return block_; }

 private:
  void look_at_row() {
    if (example_.is_header) find(Finding::kHeader);
    if (example_.has_columns) return;
    find(Finding::kNoColumns);
    if (parser_.every_row && !parser_.marks_empty()) {
      block_.gaps.push_back({block_.size(), GapKind::kEmpty});
    }
  }

  void check_labels() {
    if (example_.labels.empty() && parser_.require_labels) {
      throw BadLine{parser_.header.table != nullptr
                        ? "there is no label; fill its column in each row"
                        : "there is no label; write it at the start of the line"};
    }
    if (example_.labels.size() < 2) return;
    if (parser_.multi_label == MultiLabel::kError) {
      throw BadLine{fmt::format(
          "{} labels in one line; choose with `multi_label`: first takes the first one, each makes "
          "an example of each",
          example_.labels.size())};
    }
    if (parser_.multi_label == MultiLabel::kFirst) example_.labels.resize(1);
  }

  // Scores and rates are products of rows with rows: those must be numbers.
  static void check_squares(double squares) {
    if (squares <= double{std::numeric_limits<float>::max()}) return;
    throw BadLine{
        "the values of this line are so large that their squares add up to more than a float "
        "holds; scale them down"};
  }

  void check_sign(float value) const {
    if (value >= 0.0F || parser_.takes_negative) return;
    throw BadLine{fmt::format(
        "the value {} is below zero, but `weights` makes weights of counts; use `weights count`",
        value)};
  }

  void check_size() const {
    double squares = 0.0;
    for (const float value : example_.values) {
      squares += double{value} * double{value};
      check_sign(value);
    }
    check_squares(squares);
  }

  // What lies between blanks becomes words, which have its value and name space.
  void tokenize() {
    pieces_.swap(example_.words);
    example_.words.clear();
    tokenizer_.clear();
    piece_ends_.clear();
    for (const WordFeature& piece : pieces_) {
      tokenizer_.add(piece.name);
      piece_ends_.push_back(tokenizer_.size());
    }
    example_.words.resize(tokenizer_.size());
    std::size_t i = 0;
    for (std::size_t piece = 0; piece < pieces_.size(); ++piece) {
      for (; i < piece_ends_[piece]; ++i) {
        example_.words[i].name_space = pieces_[piece].name_space;
        example_.words[i].name = tokenizer_[i];
        example_.words[i].value = pieces_[piece].value;
      }
    }
  }

  // Columns of numbers are the features: in the order of the model, whatever that of the file.
  void number_columns() {
    std::sort(example_.columns.begin(), example_.columns.end(),
              [](const ColumnFeature& a, const ColumnFeature& b) {
                return a.column->index < b.column->index;
              });
    for (const ColumnFeature& feature : example_.columns) {
      if (!example_.indices.empty() && example_.indices.back() == feature.column->index) {
        throw BadLine{fmt::format("column {} is there twice; write it once",
                                  in_quotes(feature.column->name))};
      }
      example_.indices.push_back(feature.column->index);
      example_.values.push_back(feature.value);
    }
  }

  // Moves words and their n-grams to names or indices, and values. Words are counted in the
  // dictionary from here on, so all checks of the line must come before.
  void number_words() {
    hashes_.clear();
    names_.clear();
    if (parser_.ngrams.any()) hasher_.append(example_.words, hashes_, example_.values);
    double total = 0.0;
    for (const float value : example_.values) total += std::abs(double{value});
    for (const WordFeature& word : example_.words) {
      total += std::abs(double{word.value});
      check_sign(word.value);
    }
    for (const ColumnFeature& column : example_.columns) total += std::abs(double{column.value});
    // Equal words are added up later, so no square is larger than that of the sum.
    check_squares(total * total);
    for (const std::uint64_t hash : hashes_) add_ngram(hash);
    for (const WordFeature& word : example_.words) {
      std::string_view name = word.name;
      if (!word.name_space.empty()) {
        joined_.assign(word.name_space).append("^").append(word.name);
        name = joined_;
      }
      add_word(name);
      example_.values.push_back(word.value);
    }
    for (const ColumnFeature& column : example_.columns) {
      add_word(column_feature(column.column->feature, column.text));
      example_.values.push_back(column.value);
    }
  }

  void add_ngram(std::uint64_t hash) {
    if (parser_.feature_kind == FeatureKind::kHashedWords) {
      example_.indices.push_back(static_cast<FeatureId>(hash >> (64 - parser_.hash_bits)));
    } else if (parser_.ngrams.bits > 0) {
      names_.push_back(
          BlockName::ngram(static_cast<std::uint32_t>(hash >> (64 - parser_.ngrams.bits))));
    } else {
      const std::uint32_t number = block_.ngrams.find_or_add(hash);
      if (number == block_.ngram_counts.size()) block_.ngram_counts.push_back(0);
      ++block_.ngram_counts[number];
      names_.push_back(BlockName::ngram(number));
    }
  }

  void add_word(std::string_view word) {
    if (parser_.feature_kind == FeatureKind::kHashedWords) {
      example_.indices.push_back(hashed_word(word, parser_.hash_bits));
      return;
    }
    const std::uint32_t number = block_.word_names.find_or_add(word);
    if (number == block_.word_counts.size()) block_.word_counts.push_back(0);
    ++block_.word_counts[number];
    names_.push_back(BlockName(BlockId{number}));
  }

  void store() {
    const std::size_t copies = std::max<std::size_t>(1, example_.labels.size());
    const float weight = example_.weight / static_cast<float>(copies);
    for (std::size_t copy = 0; copy < copies; ++copy) {
      block_.labels.push_back(example_.labels.empty()
                                  ? kNoLabel
                                  : BlockId{block_.label_names.find_or_add(example_.labels[copy])});
      if (weight != 1.0F || !block_.weights.empty()) {
        block_.weights.resize(block_.labels.size() - 1, 1.0F);
        block_.weights.push_back(weight);
      }
      block_.features.insert(block_.features.end(), example_.indices.begin(),
                             example_.indices.end());
      block_.names.insert(block_.names.end(), names_.begin(), names_.end());
      block_.values.insert(block_.values.end(), example_.values.begin(), example_.values.end());
      block_.ends.push_back(block_.values.size());
      example_.kept.resize(parser_.header.kept);
      block_.kept.insert(block_.kept.end(), example_.kept.begin(), example_.kept.end());
    }
    if (parser_.feature_kind == FeatureKind::kIndices && !example_.indices.empty()) {
      block_.dimension = std::max(block_.dimension, example_.indices.back() + 1);
    }
  }

  const BlockParser& parser_;
  ParsedBlock block_;
  Example example_;
  Tokenizer tokenizer_;
  std::vector<WordFeature> pieces_;
  std::vector<std::size_t> piece_ends_;
  NgramHasher hasher_;
  std::vector<std::uint64_t> hashes_;
  std::vector<BlockName> names_;
  std::string joined_;
};

}  // namespace

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
          .require_labels = options.require_labels,
          .every_row = options.every_row};
}

ParsedBlock BlockParser::parse(const TextBlock& text) const {
  BlockBuilder builder(*this);
  ParsedBlock& block = builder.block();
  // Reserve for the shortest features, " 1:1": growing incrementally costs more than unused
  // capacity.
  constexpr std::size_t kShortestFeature = 4;
  if (feature_kind == FeatureKind::kIndices) {
    block.features.reserve(text.text.size() / kShortestFeature);
    block.values.reserve(text.text.size() / kShortestFeature);
  }
  // Only then do records have several lines.
  const bool has_quotes = header.separator != '\0' && text.text.find('"') != std::string::npos;
  const bool check_bytes = has_control_bytes(text.text);
  const bool check_utf8 = !is_utf8(text.text);
  // Returns whether to continue with the next line.
  const auto reject = [&](BadLine& bad, GapKind kind, std::uint64_t lines) {
    if (block.bad_lines == 0) {
      block.first_bad_line = block.lines;
      block.first_bad_message = std::move(bad.message);
    }
    block.bad_lines += lines;
    if (on_error == OnError::kStop) return false;
    builder.add_gap(kind);
    block.lines += lines;
    return true;
  };
  // Rows that begin on every line and never end would be looked through again and again.
  std::size_t left_to_rescan = 16 * text.text.size();
  std::string_view rest = text.text;
  while (!rest.empty()) {
    std::string_view behind = rest;
    const std::string_view line = take_record(rest, left_to_rescan > 0 ? header.separator : '\0');
    if (is_blank_line(line)) {
      builder.add_gap(GapKind::kBlank);
      ++block.lines;
      continue;
    }
    ++block.records;
    const std::uint64_t lines =
        1 + (has_quotes ? static_cast<std::uint64_t>(std::ranges::count(line, '\n')) : 0);
    try {
      builder.add_line(line, check_bytes);
      if (lines > kLongRecord) builder.find(Finding::kLong, lines);
      if (check_utf8 && !is_utf8(line)) builder.find(Finding::kNoUtf8);
      block.lines += lines;
    } catch (BadLine& bad) {
      // A stray quote costs its own line, not all up to the next quote.
      const bool is_stray =
          lines > kLongRecord || (lines > 1 && !fields_of(line, header.separator));
      if (!reject(bad, GapKind::kSkipped, is_stray ? 1 : lines)) return std::move(block);
      if (!is_stray) continue;
      left_to_rescan -= std::min(left_to_rescan, line.size());
      take_record(behind, '\0');
      rest = behind;
    }
  }
  if (text.long_line_follows) {
    ++block.records;
    try {
      builder.reject_long_line();
    } catch (BadLine& bad) {
      reject(bad, GapKind::kSkipped, 1);
    }
  }
  return std::move(block);
}

}  // namespace cane
