#include "data/text/text_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "core/file/cache_source.h"
#include "core/file/text_source.h"
#include "data/memory/memory_texts.h"
#include "data/text/feature_options.h"
#include "data/text/name_maps.h"
#include "data/text/ngram_dictionary.h"
#include "data/text/rarity.h"
#include "data/text/reading_progress.h"
#include "data/text/text_format.h"
#include "data/text/text_members.h"
#include "data/text/text_pieces.h"
#include "data/text/text_share.h"

namespace cane {
namespace {

// N-grams make parsed blocks many times larger than their text: read less text at a time.
BlockLimits limits_for(const Ngrams& ngrams, BlockLimits limits) {
  const auto [shortest, longest] = ngrams.characters;
  const std::uint32_t lengths = longest > 0 ? longest - shortest + 1 : 0;
  limits.block_bytes = std::max<std::size_t>(1, limits.block_bytes / (ngrams.words + 2 * lengths));
  return limits;
}

class TextLoader {
 public:
  TextLoader(const std::string& path, const DataOptions& options, const Vocabulary* known,
             ThreadPool& pool, StoreLimits store, const BlockLimits& limits, Communicator& ranks)
      : TextLoader(members_of(path), options, known, pool, std::move(store), limits, ranks) {}

  TextLoader(const TextMembers& members, const DataOptions& options, const Vocabulary* known,
             ThreadPool& pool, StoreLimits store, const BlockLimits& limits, Communicator& ranks)
      : TextLoader(open(members), options, known, pool, std::move(store), limits, &ranks) {
    path_ = members.name;
    choice_ = choose_format(
        progress_.name(),
        {.wanted = wanted_format(members, options), .known = known_, .options = options_}, reader_);
    if (members.is_folder || !ranks_.is_alone()) take_share(members);
  }

  TextLoader(const RecordSample& sample, const DataOptions& options, ThreadPool& pool)
      : TextLoader(Input{sample.name, std::nullopt, std::make_unique<MemoryText>("")}, options,
                   nullptr, pool, {}, {}, nullptr) {
    choice_ = {sample.format, sample.header, {TextBlock{.text = sample.text}}};
  }

  TextLoader(std::span<const std::string_view> texts, const DataOptions& options,
             const Vocabulary* known, ThreadPool& pool)
      : TextLoader(Input{"the texts", std::nullopt, open_texts(texts)}, options, known, pool, {},
                   BlockLimits{.line_bytes = std::numeric_limits<std::size_t>::max()}, nullptr) {
    has_labels_ = false;
    choice_.format = &marked_text_format();
    TextBlock first;
    if (reader_.next(first)) choice_.blocks.push_back(std::move(first));
  }

  ParsedText parse() {
    const bool has_words = choice_.has_words();
    check_feature_options(progress_.name(), has_words, options_, known_);
    if (known_ == nullptr) check_tokenizer(*choice_.format, options_);
    vocabulary_ = known_ != nullptr ? *known_ : new_vocabulary(has_words, options_);
    take_table();
    read_blocks();
    check_unchanged(path_, stamp_);
    progress_.check_end(reader_.damage(), choice_.header, ranks_);
    return finish();
  }

 private:
  struct Input {
    std::string name;
    std::optional<FileStamp> stamp;  // from before it was opened
    std::unique_ptr<TextSource> source;
  };

  static Input open(const TextMembers& members) {
    Input input = {source_name(members.name), stamp_of(members.name), nullptr};
    input.source = open_members(members);
    return input;
  }

  TextLoader(Input input, const DataOptions& options, const Vocabulary* known, ThreadPool& pool,
             StoreLimits store, const BlockLimits& limits, Communicator* ranks)
      : progress_(std::move(input.name), options.on_error),
        stamp_(input.stamp),
        options_(options),
        known_(known),
        pool_(pool),
        ranks_(ranks != nullptr ? *ranks : alone_),
        limits_(limits_for(known == nullptr ? ngrams_of(options) : known->ngrams, limits)),
        reader_(std::move(input.source), limits_),
        labels_(known, options.add_labels),
        words_(known),
        blocks_(progress_.name(), std::move(store)) {}

  /// Instead of the whole text, of which the beginning has shown the format.
  void take_share(const TextMembers& members) {
    TextShare share = share_of_text(members, choice_, ranks_);
    const auto lines = std::make_shared<PieceLines>();
    progress_.take_pieces(lines);
    if (!ranks_.is_alone()) progress_.defer_errors();
    reader_ =
        BlockReader(open_pieces(std::move(share.pieces), std::move(share.header), lines), limits_);
    if (choice_.header.table != nullptr && choice_.header.table->separator != '\0') {
      reader_.split_at_records(choice_.header.table->separator, "");
    }
    choice_.blocks.clear();
    TextBlock first;
    if (reader_.next(first)) choice_.blocks.push_back(std::move(first));
  }

  void take_table() {
    check_table_options(progress_.name(), choice_.header.table != nullptr, options_, known_);
    if (choice_.header.table == nullptr) return;
    if (known_ == nullptr) vocabulary_.columns = choice_.header.table->columns;
    progress_.report().notes = choice_.header.table->notes;
  }

  void read_blocks() {
    BlockParser parser = parser_for(*choice_.format, choice_.header, vocabulary_, options_);
    parser.line_bytes = limits_.line_bytes;
    parser.require_labels = parser.require_labels && has_labels_;
    const std::size_t blocks_a_round = 2 * static_cast<std::size_t>(pool_.threads());
    std::vector<TextBlock> current(std::make_move_iterator(choice_.blocks.begin()),
                                   std::make_move_iterator(choice_.blocks.end()));
    while (!current.empty() && !progress_.has_stopped()) {
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
      if (known_ == nullptr && has_ngram_dictionary(vocabulary_)) ngrams_.add(parsed, pool_);
      for (ParsedBlock& block : parsed) {
        if (!progress_.has_stopped()) join(block);
      }
      blocks_.add(std::move(parsed), pool_);
      current = std::move(next);
    }
  }

  /// Maps the block's names to the file's numbers.
  void join(ParsedBlock& block) {
    progress_.add(block);
    num_values_ += block.features.size() - unknown_features(block);
    has_weights_ = has_weights_ || !block.weights.empty();
    largest_dimension_ = std::max(largest_dimension_, block.dimension);
    for (std::uint32_t label = 0; label < block.label_names.size(); ++label) {
      block.label_numbers.push_back(labels_.number_of(block.label_names[label]));
    }
    for (std::uint32_t word = 0; word < block.words.size(); ++word) {
      block.word_numbers.push_back(words_.number_of(block.words[word], block.word_counts[word]));
    }
    block.label_names = {};
    block.words = {};
    block.word_counts = {};
    block.ngram_hashes = block.ngrams.take();
    block.ngram_counts = {};
  }

  /// Counts indices missing from the known vocabulary, to decide whether rows are dense.
  std::uint64_t unknown_features(const ParsedBlock& block) const {
    const bool all_known = known_ == nullptr || known_->feature_kind != FeatureKind::kIndices ||
                           block.dimension <= known_->dimension;
    if (all_known) return 0;
    return static_cast<std::uint64_t>(
        std::count_if(block.features.begin(), block.features.end(),
                      [&](FeatureId feature) { return feature >= known_->dimension; }));
  }

  /// The numbers that this rank has given, as those that all ranks give together.
  struct MergedNumbers {
    std::vector<std::uint32_t> labels;
    std::vector<std::uint32_t> words;
  };

  MergedNumbers merge_ranks() {
    largest_dimension_ = std::ranges::max(ranks_.all_gather_value(largest_dimension_));
    has_weights_ = ranks_.sum(std::uint64_t{has_weights_}) > 0;
    if (known_ == nullptr && has_ngram_dictionary(vocabulary_)) ngrams_.exchange(ranks_);
    MergedNumbers merged = {labels_.merge(ranks_), {}};
    if (vocabulary_.feature_kind == FeatureKind::kWords) merged.words = words_.merge(ranks_);
    return merged;
  }

  /// What `of_merged` says of the numbers that this rank has given.
  template <typename Value>
  std::vector<Value> of_own(std::vector<Value> of_merged,
                            const std::vector<std::uint32_t>& numbers) const {
    if (ranks_.is_alone()) return of_merged;
    std::vector<Value> values;
    for (const std::uint32_t number : numbers) values.push_back(of_merged[number]);
    return values;
  }

  ParsedText finish() {
    MergedNumbers merged;
    if (!ranks_.is_alone()) merged = merge_ranks();
    WordMap::Features features;
    if (vocabulary_.feature_kind == FeatureKind::kWords) {
      features = words_.features(options_.min_count);
    }
    if (known_ == nullptr) learn_vocabulary(features);
    if (known_ != nullptr) vocabulary_.labels = labels_.sorted_labels();
    progress_.report().unseen_label_names = labels_.unseen();
    // Dense rows take four bytes per value, sparse ones eight per stored value.
    const bool is_dense =
        vocabulary_.feature_kind == FeatureKind::kIndices &&
        2 * ranks_.sum(num_values_) > ranks_.sum(progress_.num_examples()) * vocabulary_.dimension;
    ParsedText text = {.vocabulary = std::move(vocabulary_),
                       .report = std::move(progress_.report()),
                       .blocks = std::move(blocks_),
                       .class_of = of_own(labels_.classes(), merged.labels),
                       .feature_of = of_own(std::move(features.of_number), merged.words),
                       .ngrams = {},
                       .num_examples = progress_.num_examples(),
                       .num_values = num_values_,
                       .layout = {.is_dense = is_dense, .has_weights = has_weights_},
                       .is_training_data = known_ == nullptr};
    if (has_ngram_dictionary(text.vocabulary)) {
      text.ngrams = NgramDictionary(text.vocabulary.ngram_hashes);
    }
    if (known_ == nullptr && text.vocabulary.weights == FeatureWeights::kTfidf) {
      text.vocabulary.factors = rarity_factors(text.blocks, text.number_map(), pool_, ranks_);
    }
    if (known_ == nullptr) keep_numbers_unweighted(text.vocabulary);
    return text;
  }

  void learn_vocabulary(WordMap::Features& features) {
    vocabulary_.labels = labels_.sorted_labels();
    if (has_labels_) check_classes(progress_.name(), vocabulary_.labels);
    switch (vocabulary_.feature_kind) {
      case FeatureKind::kIndices:
        vocabulary_.dimension = choice_.header.is_given
                                    ? static_cast<FeatureId>(choice_.header.features)
                                    : std::max(largest_dimension_, columns_of_numbers(vocabulary_));
        break;
      case FeatureKind::kWords:
      case FeatureKind::kHashedWords:
        vocabulary_.words = std::move(features.words);
        if (has_ngram_dictionary(vocabulary_)) {
          vocabulary_.ngram_hashes = frequent_ngrams();
        }
        check_size();
        vocabulary_.dimension = static_cast<FeatureId>(word_features(vocabulary_));
        break;
    }
    if (vocabulary_.dimension == 0) {
      throw Error(fmt::format("{}: there is no feature to learn from; {}", progress_.name(),
                              options_.min_count > 1 ? "lower `min_count`" : "check the file"));
    }
  }

  std::vector<std::uint64_t> frequent_ngrams() {
    const std::vector<std::uint64_t> own = ngrams_.frequent(ngram_count_of(options_), pool_);
    std::vector<std::uint64_t> all;
    for (const Bytes& part : ranks_.all_gather(bytes_of(std::span(own)))) {
      const auto hashes = values_of<std::uint64_t>(part);
      all.insert(all.end(), hashes.begin(), hashes.end());
    }
    return all;
  }

  // More features than can be numbered beside the mark of n-grams.
  void check_size() const {
    if (word_features(vocabulary_) < ParsedBlock::kNgramMark) return;
    throw Error(fmt::format(
        "{}: there are {} words and n-grams, more than can be numbered; raise `ngram_count`",
        progress_.name(), word_features(vocabulary_)));
  }

  ReadingProgress progress_;
  std::string path_;
  std::optional<FileStamp> stamp_;
  const DataOptions& options_;
  const Vocabulary* known_;
  ThreadPool& pool_;
  Communicator alone_;
  Communicator& ranks_;
  BlockLimits limits_;
  BlockReader reader_;
  FormatChoice choice_;
  Vocabulary vocabulary_;
  LabelMap labels_;
  WordMap words_;
  NgramCounts ngrams_;
  BlockStore blocks_;
  std::uint64_t num_values_ = 0;
  bool has_labels_ = true;  // else the caller has them
  bool has_weights_ = false;
  FeatureId largest_dimension_ = 0;
};

}  // namespace

NumberMap ParsedText::number_map() const {
  return {.feature_kind = vocabulary.feature_kind,
          .dimension = vocabulary.dimension,
          .first_ngram = static_cast<FeatureId>(vocabulary.words.size()),
          .ngrams = has_ngram_dictionary(vocabulary) ? &ngrams : nullptr,
          .weights = RowWeights(vocabulary),
          .class_of = class_of,
          .feature_of = feature_of};
}

AssembledRows ParsedText::assemble_blocks(std::size_t begin, std::size_t end, ThreadPool& pool) {
  std::vector<ParsedBlock> some(end - begin);
  pool.run(some.size(), [&](std::size_t i, int) { some[i] = blocks.take(begin + i); });
  AssembledRows rows = cane::assemble(std::move(some), number_map(), layout, pool);
  report.unseen_labels += rows.counts.unseen_labels;
  if (!is_training_data) report.ignored_features += rows.counts.dropped_features;
  return rows;
}

ParsedText parse_text(const std::string& path, const DataOptions& options, const Vocabulary* known,
                      ThreadPool& pool, StoreLimits store, const BlockLimits& limits) {
  Communicator alone;
  return parse_text(path, options, known, pool, std::move(store), limits, alone);
}

ParsedText parse_text(const std::string& path, const DataOptions& options, const Vocabulary* known,
                      ThreadPool& pool, StoreLimits store, const BlockLimits& limits,
                      Communicator& ranks) {
  return TextLoader(path, options, known, pool, std::move(store), limits, ranks).parse();
}

ParsedText parse_texts(std::span<const std::string_view> texts, const DataOptions& options,
                       const Vocabulary* known, ThreadPool& pool) {
  return TextLoader(texts, options, known, pool).parse();
}

LoadedData load_sample(const RecordSample& sample, const DataOptions& options, ThreadPool& pool) {
  return assemble(TextLoader(sample, options, pool).parse(), pool);
}

LoadedData assemble(ParsedText text, ThreadPool& pool) {
  AssembledRows rows = text.assemble_blocks(0, text.blocks.size(), pool);
  return {rows.view, std::move(text.vocabulary), std::move(text.report), std::move(rows.storage)};
}

}  // namespace cane
