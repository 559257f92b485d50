#include "data/text/parse_text.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "data/blocks/block_collector.h"
#include "data/text/block_parser.h"
#include "data/vocabulary/feature_options.h"

namespace cane {
namespace {

/// Parses block after block until the end, or a bad line, and hands them to take(blocks).
template <typename Take>
void read_blocks(TextInput& input, BlockParser parser, ReadingProgress& progress, ThreadPool& pool,
                 const Take& take) {
  parser.line_bytes = input.reader.limits().line_bytes;
  parser.require_labels = parser.require_labels && input.has_labels;
  progress.leave_out(input.choice.header_lines.count());
  const std::size_t blocks_a_round = 2 * static_cast<std::size_t>(pool.threads());
  std::vector<TextBlock> current = std::move(input.choice.blocks);
  do {
    std::vector<TextBlock> next;
    std::vector<ParsedBlock> parsed(current.size());
    pool.run(current.size() + 1, [&](std::size_t task, int) {
      if (task > 0) {
        parsed[task - 1] = parser.parse(current[task - 1]);
        return;
      }
      TextBlock block;
      while (next.size() < blocks_a_round && input.reader.next(block)) {
        next.push_back(std::move(block));
      }
    });
    for (const ParsedBlock& block : parsed) {
      if (!progress.has_stopped()) progress.add(block);
    }
    take(std::move(parsed));
    current = std::move(next);
  } while (!current.empty() && !progress.has_stopped());
}

}  // namespace

BlockLimits limits_for(const DataOptions& options, const Vocabulary* known, BlockLimits limits) {
  const Ngrams ngrams = known == nullptr ? ngrams_of(options) : known->ngrams;
  const auto [shortest, longest] = ngrams.characters;
  const std::uint32_t lengths = longest > 0 ? longest - shortest + 1 : 0;
  limits.block_bytes = std::max<std::size_t>(1, limits.block_bytes / (ngrams.words + 2 * lengths));
  return limits;
}

ParsedData parse_text(TextInput input, const DataOptions& options, const Vocabulary* known,
                      const RunContext& run, StoreLimits store) {
  const TextHeader& header = input.choice.header;
  check_feature_options(input.name, input.choice.has_words, options, known);
  check_table_options(input.name, header.table != nullptr, options, known);
  Vocabulary vocabulary =
      known != nullptr ? *known : new_vocabulary(input.choice.has_words, options);
  if (known == nullptr) vocabulary.columns = input.choice.columns;
  BlockCollector collector(input.name, options, known, std::move(vocabulary), std::move(store));
  const BlockParser parser =
      parser_for(*input.choice.format, header, collector.vocabulary(), options);
  ReadingProgress progress(input.name, options.on_error, input.pieces, !run.ranks().is_alone());
  read_blocks(input, parser, progress, run.pool(), [&](std::vector<ParsedBlock> blocks) {
    collector.add(std::move(blocks), run.pool());
  });
  check_unchanged(input.name, input.stamp);
  collector.report() = progress.check_end(input.reader.damage(), header, run.ranks());
  collector.report().notes = std::move(input.choice.notes);
  std::optional<FeatureId> dimension;
  if (header.is_given) dimension = static_cast<FeatureId>(header.features);
  return std::move(collector).finish(
      {.has_labels = input.has_labels, .marks_empty = parser.marks_empty(), .dimension = dimension},
      run);
}

void check_text(TextInput input, const DataOptions& options, ThreadPool& pool) {
  const FormatChoice& choice = input.choice;
  Vocabulary vocabulary = new_vocabulary(choice.has_words, options);
  vocabulary.tokenizer = TokenizerKind::kSpaces;
  vocabulary.ngrams = {};
  if (choice.has_words) {  // into few features, so that no dictionary is made
    vocabulary.feature_kind = FeatureKind::kHashedWords;
    vocabulary.hash_bits = 1;
  }
  const TextHeader header = choice.header;
  const BlockParser parser = parser_for(*choice.format, header, vocabulary, options);
  ReadingProgress progress(input.name, options.on_error);
  read_blocks(input, parser, progress, pool, [](std::vector<ParsedBlock>) {});
  Communicator alone;
  progress.check_end(input.reader.damage(), header, alone);
}

}  // namespace cane
