#include "data/text/text_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "core/file/cache_source.h"
#include "data/text/format.h"
#include "data/text/format_choice.h"
#include "data/text/label_map.h"
#include "data/text/parsed_block.h"
#include "data/text/word_map.h"

namespace cane {
namespace {

// N-grams make parsed blocks many times as large as their text: then less text at a time.
BlockLimits limits_for(const Ngrams& ngrams, BlockLimits limits) {
  const auto [shortest, longest] = ngrams.characters;
  const std::uint32_t lengths = longest > 0 ? longest - shortest + 1 : 0;
  limits.block_bytes = std::max<std::size_t>(1, limits.block_bytes / (ngrams.words + 2 * lengths));
  return limits;
}

class TextLoader {
 public:
  TextLoader(const std::string& path, const DataOptions& options, const Vocabulary* known,
             ThreadPool& pool, StoreLimits store, const BlockLimits& limits)
      : name_(source_name(path)),
        path_(path),
        stamp_(stamp_of(path)),
        options_(options),
        known_(known),
        pool_(pool),
        line_bytes_(limits.line_bytes),
        reader_(open_text(path),
                limits_for(known == nullptr ? ngrams_of(options) : known->ngrams, limits)),
        labels_(known, options.add_labels),
        words_(known),
        blocks_(name_, std::move(store)) {}

  ParsedText parse() {
    choice_ = choose_format(name_, options_.format, reader_);
    check_feature_options(name_, has_words(choice_.format), options_, known_);
    settle_vocabulary();
    read_blocks();
    check_unchanged(path_, stamp_);
    check_end();
    return finish();
  }

 private:
  void settle_vocabulary() {
    if (known_ != nullptr) {
      vocabulary_ = *known_;
      return;
    }
    vocabulary_.normalize = options_.normalize;
    if (!has_words(choice_.format)) return;
    vocabulary_.hash_bits = options_.hash_bits;
    vocabulary_.feature_kind =
        options_.hash_bits > 0 ? FeatureKind::kHashedWords : FeatureKind::kWords;
    vocabulary_.ngrams = ngrams_of(options_);
  }

  void read_blocks() {
    const BlockParser parser{choice_.line_parser(),   vocabulary_.feature_kind,
                             vocabulary_.hash_bits,   vocabulary_.ngrams,
                             options_.multi_label,    options_.on_error,
                             options_.require_labels, line_bytes_};
    const std::size_t blocks_a_round = 2 * static_cast<std::size_t>(pool_.threads());
    std::vector<TextBlock> current(std::make_move_iterator(choice_.blocks.begin()),
                                   std::make_move_iterator(choice_.blocks.end()));
    while (!current.empty()) {
      std::vector<TextBlock> next;
      std::vector<ParsedBlock> parsed(current.size());
      pool_.run(current.size() + 1, [&](std::size_t task, int) {
        if (task > 0) {
          parsed[task - 1] = parser.parse(current[task - 1]);
          return;
        }
        TextBlock block;
        while (next.size() < blocks_a_round && reader_.next(block)) {
          next.push_back(std::move(block));
        }
      });
      std::vector<NumberedBlock> joined;
      for (ParsedBlock& block : parsed) joined.push_back(join(std::move(block)));
      blocks_.add(std::move(joined), pool_);
      current = std::move(next);
    }
  }

  NumberedBlock join(ParsedBlock block) {
    if (block.bad_lines > 0) {
      reject(lines_ + block.first_bad_line, block.first_bad_message, block.bad_lines);
    }
    lines_ += block.lines;
    records_ += block.records;
    examples_ += block.label_of.size();
    values_ += block.features.size() - unknown_features(block);
    weighted_ = weighted_ || !block.weights.empty();
    largest_dimension_ = std::max(largest_dimension_, block.dimension);
    NumberedBlock numbered;
    for (std::uint32_t label = 0; label < block.labels.size(); ++label) {
      numbered.label_of.push_back(labels_.number_of(block.labels[label]));
    }
    for (std::uint32_t word = 0; word < block.words.size(); ++word) {
      numbered.word_of.push_back(words_.number_of(block.words[word], block.word_counts[word]));
    }
    block.labels = {};
    block.words = {};
    block.word_counts = {};
    numbered.columns = std::move(block);
    return numbered;
  }

  /// Indices that the known vocabulary lacks: how many tells whether rows are dense.
  std::uint64_t unknown_features(const ParsedBlock& block) const {
    const bool all_known = known_ == nullptr || known_->feature_kind != FeatureKind::kIndices ||
                           block.dimension <= known_->dimension;
    if (all_known) return 0;
    return static_cast<std::uint64_t>(
        std::count_if(block.features.begin(), block.features.end(),
                      [&](FeatureId feature) { return feature >= known_->dimension; }));
  }

  /// `line` counts from 0.
  void reject(std::uint64_t line, const std::string& message, std::uint64_t bad_lines = 1) {
    std::string text = fmt::format("{}:{}: {}", name_, line + 1, message);
    if (options_.on_error == OnError::kStop) throw Error(text);
    if (report_.skipped_lines == 0) report_.first_skipped = std::move(text);
    report_.skipped_lines += bad_lines;
  }

  void check_end() {
    const std::string damage = reader_.damage();
    if (!damage.empty()) {
      reject(lines_,
             damage + "; get the file again, or keep what could be read with --on-error skip");
    } else if (choice_.header && choice_.header->rows != records_) {
      reject(lines_,
             fmt::format("the file ends after {} rows, but its header announces {}; correct the "
                         "header or complete the file (blank lines are no rows)",
                         records_, choice_.header->rows));
    }
    if (examples_ > 0) return;
    if (report_.skipped_lines > 0) {
      throw Error(fmt::format("{}: every line was skipped ({}); the first: {}", name_,
                              report_.skipped_lines, report_.first_skipped));
    }
    throw Error(fmt::format("{}: there are no examples; give a file with data", name_));
  }

  ParsedText finish() {
    WordMap::Features features;
    if (vocabulary_.feature_kind == FeatureKind::kWords) {
      features = words_.features(options_.min_count);
    }
    if (known_ == nullptr) learn_vocabulary(features);
    if (known_ != nullptr) vocabulary_.labels = labels_.sorted_labels();
    report_.unseen_label_names = labels_.unseen();
    // Four bytes for every value against eight for each stored one.
    const bool dense = vocabulary_.feature_kind == FeatureKind::kIndices &&
                       2 * values_ > examples_ * vocabulary_.dimension;
    return {std::move(vocabulary_),
            std::move(report_),
            std::move(blocks_),
            labels_.classes(),
            std::move(features.of_number),
            examples_,
            values_,
            dense,
            weighted_,
            known_ == nullptr};
  }

  void learn_vocabulary(WordMap::Features& features) {
    vocabulary_.labels = labels_.sorted_labels();
    check_classes(name_, vocabulary_.labels);
    switch (vocabulary_.feature_kind) {
      case FeatureKind::kIndices:
        vocabulary_.dimension =
            choice_.header ? static_cast<FeatureId>(choice_.header->features) : largest_dimension_;
        break;
      case FeatureKind::kWords:
      case FeatureKind::kHashedWords:
        vocabulary_.words = std::move(features.words);
        vocabulary_.dimension = static_cast<FeatureId>(word_features(vocabulary_));
        break;
    }
    if (vocabulary_.dimension == 0) {
      throw Error(fmt::format("{}: there is no feature to learn from; {}", name_,
                              options_.min_count > 1 ? "lower --min-count" : "check the file"));
    }
  }

  std::string name_;
  std::string path_;
  std::optional<FileStamp> stamp_;  // from before it was opened
  const DataOptions& options_;
  const Vocabulary* known_;
  ThreadPool& pool_;
  std::size_t line_bytes_;
  BlockReader reader_;
  FormatChoice choice_;
  Vocabulary vocabulary_;
  LabelMap labels_;
  WordMap words_;
  ReadReport report_;
  BlockStore blocks_;
  std::uint64_t lines_ = 0;
  std::uint64_t records_ = 0;
  std::uint64_t examples_ = 0;
  std::uint64_t values_ = 0;
  bool weighted_ = false;
  FeatureId largest_dimension_ = 0;
};

}  // namespace

ParsedText parse_text(const std::string& path, const DataOptions& options, const Vocabulary* known,
                      ThreadPool& pool, StoreLimits store, const BlockLimits& limits) {
  return TextLoader(path, options, known, pool, std::move(store), limits).parse();
}

LoadedText put_together(ParsedText text, ThreadPool& pool) {
  const Assembled assembled = text.assemble_some(0, text.blocks.size(), pool);
  return {{assembled.columns.view(), std::move(text.vocabulary), std::move(text.report),
           assembled.storage},
          assembled.columns};
}

LoadedText load_text(const std::string& path, const DataOptions& options, const Vocabulary* known,
                     ThreadPool& pool, const BlockLimits& limits) {
  return put_together(parse_text(path, options, known, pool, {}, limits), pool);
}

}  // namespace cane
