#include "data/reader/text_file.h"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "cane/error.h"
#include "cane/names.h"
#include "core/file/cache_source.h"
#include "core/file/text_source.h"
#include "data/reader/formats.h"
#include "data/reader/text_members.h"
#include "data/reader/text_share.h"

namespace cane {
namespace {

void check_tokenizer(const TextFormat& format, const DataOptions& options) {
  if (options.tokenizer != TokenizerKind::kWords || format.is_text) return;
  throw OptionError("tokenizer",
                    fmt::format("a file of format {} gives its features, there is nothing to cut",
                                name_of(format.format)),
                    "leave it out");
}

}  // namespace

TextInput open_text_file(const std::string& path, const DataOptions& options,
                         const Vocabulary* known, const BlockLimits& limits, Communicator& ranks) {
  const std::optional<FileStamp> stamp = stamp_of(path);
  const TextMembers members = members_of(path);
  BlockReader beginning(open_members(members), limits);
  TextInput input = {
      .name = source_name(path),
      .choice = choose_format(
          source_name(path),
          {.wanted = wanted_format(members, options), .known = known, .options = options},
          beginning),
      .reader = std::move(beginning),
      .stamp = stamp};
  if (known == nullptr) check_tokenizer(*input.choice.format, options);
  if (!members.is_folder && ranks.is_alone()) return input;
  // Instead of the whole text, of which the beginning has shown the format.
  TextShare share = share_of_text(members, input.choice, ranks);
  const auto lines = std::make_shared<PieceLines>();
  input.pieces = lines;
  input.reader =
      BlockReader(open_pieces(std::move(share.pieces), std::move(share.header), lines), limits);
  if (input.choice.header.separator != '\0') {
    input.reader.split_at_records(input.choice.header.separator);
  }
  input.choice.blocks.clear();
  return input;
}

ParsedData parse_text_file(const std::string& path, const DataOptions& options,
                           const Vocabulary* known, const RunContext& run, StoreLimits store,
                           const BlockLimits& limits) {
  return parse_text(
      open_text_file(path, options, known, limits_for(options, known, limits), run.ranks()),
      options, known, run, std::move(store));
}

void check_text_file(const std::string& path, const DataOptions& options) {
  Communicator alone;
  ThreadPool pool(options.threads);
  check_text(open_text_file(path, options, nullptr, {}, alone), options, pool);
}

LoadedData load_sample(const RecordSample& sample, const DataOptions& options, ThreadPool& pool) {
  BlockReader nothing_more(std::make_unique<MemoryText>(""), limits_for(options, nullptr));
  return assemble(
      parse_text({sample.name, sample.choice, std::move(nothing_more)}, options, nullptr, pool),
      pool);
}

}  // namespace cane
