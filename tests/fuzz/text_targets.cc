// The text formats, in memory: the first line decides on the header, blocks of lines become rows
// through a vocabulary of their own or one that is known.
#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/parallel/communicator.h"
#include "data/reader/featurizer.h"
#include "data/reader/formats.h"
#include "data/text/reading_progress.h"
#include "data/text/tokenizer.h"
#include "data/vocabulary/feature_options.h"
#include "fuzz/targets.h"

namespace cane::fuzz {
namespace {

class MemorySource final : public TextSource {
 public:
  explicit MemorySource(Bytes bytes) : rest_(bytes) {}
  std::size_t read_some(std::span<char> buffer) override {
    const std::size_t count = std::min(buffer.size(), rest_.size());
    std::copy_n(rest_.data(), count, buffer.data());
    rest_ = rest_.subspan(count);
    return count;
  }
  bool is_ready() const override { return true; }

 private:
  Bytes rest_;
};

// Small, so that inputs of a few lines meet them.
constexpr BlockLimits kLimits = {.block_bytes = 256, .line_bytes = 128};

DataOptions options_from(std::uint8_t bits) {
  DataOptions options;
  options.normalize = (bits & 1) != 0 ? Normalize::kL2 : Normalize::kNone;
  options.on_error = (bits & 2) != 0 ? OnError::kSkip : OnError::kStop;
  options.multi_label = (bits & 4) != 0 ? MultiLabel::kEach : MultiLabel::kFirst;
  options.require_labels = (bits & 8) == 0;
  options.every_row = !options.require_labels;
  options.hash_bits = (bits & 16) != 0 ? 10 : 0;
  options.word_ngrams = (bits & 32) != 0 ? 3 : 1;
  if ((bits & 64) != 0) options.char_ngrams = {2, 4};
  if ((bits & 128) != 0) {
    options.tokenizer = TokenizerKind::kWords;
    options.weights = FeatureWeights::kTfidf;
  }
  return options;
}

void read_text(Format format, Bytes input) {
  const DataOptions options = options_from(take_byte(input));
  BlockReader reader(std::make_unique<MemorySource>(input), kLimits);
  FormatChoice choice = choose_format("input", {.wanted = format, .options = options}, reader);
  const bool has_words = choice.has_words;
  Vocabulary vocabulary = new_vocabulary(has_words, has_words ? options : DataOptions());
  vocabulary.labels = {"a", "b", "1", "2"};
  if (vocabulary.feature_kind == FeatureKind::kWords) vocabulary.words = {"x", "y", "n^x"};
  vocabulary.dimension =
      has_words ? static_cast<FeatureId>(word_features(vocabulary)) : FeatureId{5};
  if (vocabulary.weights == FeatureWeights::kTfidf) {
    vocabulary.factors.assign(vocabulary.dimension, 2.0F);
  }
  const Featurizer featurizer(vocabulary);
  BlockParser parser = parser_for(*choice.format, choice.header, vocabulary, options);
  parser.line_bytes = kLimits.line_bytes;
  ReadingProgress progress("input", options.on_error);
  TextBlock block;
  std::size_t next = 0;
  while (true) {
    if (next < choice.blocks.size()) {
      block = std::move(choice.blocks[next++]);
    } else if (!reader.next(block)) {
      break;
    }
    const ParsedBlock parsed = featurizer.featurize(block, parser);
    progress.add(parsed);
    for (std::size_t gap = 0; gap < parsed.gaps.size(); ++gap) {
      const bool rises = gap == 0 || parsed.gaps[gap].example > parsed.gaps[gap - 1].example;
      if (!rises || parsed.gaps[gap].example >= parsed.size()) __builtin_trap();
    }
    for (std::size_t row = 0; row < parsed.size(); ++row) {
      const RowView view = parsed.row(row);
      for (std::uint32_t i = 0; i < view.count; ++i) {
        if (view.indices[i] >= vocabulary.dimension || !(view.values[i] == view.values[i])) {
          __builtin_trap();
        }
      }
    }
  }
  Communicator alone;
  progress.check_end(reader.damage(), choice.header, alone);
}

void read_svm(Bytes input) {
  read_text(Format::kSvm, input);
}
void read_vw(Bytes input) {
  read_text(Format::kVw, input);
}
void read_fasttext(Bytes input) {
  read_text(Format::kFastText, input);
}
void read_xmc(Bytes input) {
  read_text(Format::kXmc, input);
}
void read_csv(Bytes input) {
  read_text(Format::kCsv, input);
}
void read_tsv(Bytes input) {
  read_text(Format::kTsv, input);
}
void read_jsonl(Bytes input) {
  read_text(Format::kJsonl, input);
}
void read_any(Bytes input) {
  read_text(Format::kAuto, input);
}

// One example given as a string, as Predictor takes it.
void read_line(Bytes input) {
  const std::uint8_t bits = take_byte(input);
  Vocabulary vocabulary = new_vocabulary((bits & 128) == 0, options_from(bits & 112));
  vocabulary.labels = {"a", "b"};
  vocabulary.dimension =
      (bits & 128) == 0 ? static_cast<FeatureId>(word_features(vocabulary)) : FeatureId{5};
  const Featurizer featurizer(vocabulary);
  featurizer.featurize(std::string_view(reinterpret_cast<const char*>(input.data()), input.size()),
                       Format::kAuto);
}

// Any bytes; a piece that is cut again has the same words.
void cut_words(Bytes input) {
  const std::string_view text(reinterpret_cast<const char*>(input.data()), input.size());
  Tokenizer tokenizer(TokenizerKind::kWords);
  std::vector<std::string> words;
  tokenizer.tokenize(text, [&](std::string_view word) { words.emplace_back(word); });
  std::size_t next = 0;
  tokenizer.tokenize(text, [&](std::string_view word) {
    if (word.empty() || next == words.size() || words[next++] != word) __builtin_trap();
  });
  if (next != words.size()) __builtin_trap();
}

constexpr Target kTextTargets[] = {
    {"svm", read_svm},   {"vw", read_vw},     {"fasttext", read_fasttext}, {"xmc", read_xmc},
    {"csv", read_csv},   {"tsv", read_tsv},   {"jsonl", read_jsonl},       {"text", read_any},
    {"line", read_line}, {"words", cut_words}};

}  // namespace

std::span<const Target> text_targets() {
  return kTextTargets;
}

}  // namespace cane::fuzz
