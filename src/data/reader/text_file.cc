#include "data/reader/text_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "cane/names.h"
#include "core/file/cache_source.h"
#include "core/file/file_range.h"
#include "core/file/text_source.h"
#include "core/parallel/communicator.h"
#include "data/reader/formats.h"
#include "data/reader/text_members.h"
#include "data/reader/text_pieces.h"
#include "data/text/block_reader.h"
#include "data/text/csv_record.h"
#include "data/text/number.h"

namespace cane {
namespace {

void check_tokenizer(const TextFormat& format, const DataOptions& options) {
  if (options.tokenizer != TokenizerKind::kWords || format.is_text) return;
  throw OptionError("tokenizer",
                    fmt::format("a file of format {} gives its features, there is nothing to cut",
                                name_of(format.format)),
                    "leave it out");
}

// Which part of a text a rank reads: whole lines, or whole records where fields may hold line ends.
// The parts of all ranks, in their order, are the text. Only its beginning, which shows the format,
// is read by every rank.
struct TextShare {
  std::vector<TextPiece> pieces;
  RepeatedHeader header;
};

void check_is_shareable(const TextMembers& members, int ranks) {
  if (members.is_folder || ranks == 1) return;
  const std::string& path = members.name;
  const std::string remedy =
      fmt::format("give {} ranks the name of a plain text file or of a folder", ranks);
  if (path == "-" || !stamp_of(path)) {
    throw Error(fmt::format("{}: only a file can be read in parts; {}", source_name(path), remedy));
  }
  if (const std::string compression = compression_of(path); !compression.empty()) {
    throw Error(fmt::format("{}: a {} file cannot be read in parts; decompress it, and {}", path,
                            compression, remedy));
  }
}

std::uint64_t byte_order_mark(const std::string& path) {
  char start[kByteOrderMark.size()] = {};
  const std::size_t count = open_range(path, {0, sizeof(start)})->read(start);
  return std::string_view(start, count) == kByteOrderMark ? kByteOrderMark.size() : 0;
}

/// The members one after the other, cut at positions that count the bytes of all of them.
class MemberBytes {
 public:
  MemberBytes(const TextMembers& members, const HeaderLines& header, char separator)
      : members_(members), header_(header), separator_(separator) {
    begins_.push_back(0);
    for (const std::string& file : members.files) {
      begins_.push_back(begins_.back() + stamp_of(file).value_or(FileStamp{}).bytes);
    }
  }

  std::uint64_t size() const { return begins_.back(); }

  /// Where a part may begin: near `even`, at the beginning of a line or of a compressed member.
  std::uint64_t cut_near(std::uint64_t even) const {
    const std::size_t member = member_at(even);
    const std::uint64_t begin = begins_[member];
    const std::uint64_t end = begins_[member + 1];
    if (even == begin) return even;
    const std::string& path = members_.files[member];
    if (!compression_of(path).empty()) return even - begin < end - even ? begin : end;
    const std::uint64_t header_end =
        member == members_.first ? byte_order_mark(path) + header_.end() : 0;
    return std::min(end, begin + line_start(path, std::max(even - begin, header_end)));
  }

  /// Where the first record of a table begins that is not before `boundary`; one begins at `begin`,
  /// and at the beginning of each member.
  std::uint64_t first_record(std::uint64_t boundary, std::uint64_t begin) const {
    const std::size_t member = member_at(boundary);
    const std::uint64_t start = begins_[member];
    if (boundary == start || boundary == size()) return boundary;
    const std::string& path = members_.files[member];
    std::uint64_t position =
        start + std::max(std::max(begin, start) - start, byte_order_mark(path));
    BlockReader reader(open_range(path, {position - start, begins_[member + 1] - start}), {});
    reader.split_at_records(separator_);
    TextBlock block;
    while (position < boundary && reader.next(block)) {
      if (block.long_line_follows) {
        throw Error(fmt::format(
            "{}: a row that begins at byte {} is too long to be read; split it, or close its quote",
            path, position - start));
      }
      if (position + block.text.size() < boundary) {
        position += block.text.size();
        continue;
      }
      for (std::string_view rest = block.text; position < boundary && !rest.empty();) {
        const std::size_t before = rest.size();
        take_record(rest, separator_);
        position += before - rest.size();
      }
    }
    return position;
  }

  std::vector<TextPiece> pieces(const FileRange& part) const {
    std::vector<TextPiece> pieces;
    for (std::size_t member = 0; member < members_.files.size(); ++member) {
      const std::uint64_t start = begins_[member];
      const std::uint64_t begin = std::max(part.begin, start);
      const std::uint64_t end = std::min(part.end, begins_[member + 1]);
      if (begin >= end) continue;
      TextPiece piece = {.path = members_.files[member], .member = member};
      if (compression_of(piece.path).empty()) piece.range = FileRange{begin - start, end - start};
      pieces.push_back(std::move(piece));
    }
    return pieces;
  }

 private:
  /// The one that has the byte at this position; the last one at the end.
  std::size_t member_at(std::uint64_t position) const {
    const auto next = std::upper_bound(begins_.begin(), begins_.end(), position);
    const auto found = static_cast<std::size_t>(next - begins_.begin()) - 1;
    return std::min(found, members_.files.size() - 1);
  }

  const TextMembers& members_;
  std::vector<std::uint64_t> begins_;  // and the end
  const HeaderLines& header_;          // of the first member that is not blank
  char separator_;
};

// A line may begin within a quoted field. So every rank looks where the records that begin in its
// part end, and begins itself where the one before it ends, until all agree: the first rank is
// right, so after n rounds n more are.
void begin_at_records(const MemberBytes& bytes, Communicator& ranks, FileRange& range) {
  std::optional<std::uint64_t> scanned_from;
  std::uint64_t end = range.end;
  while (true) {
    if (scanned_from != range.begin) end = bytes.first_record(range.end, range.begin);
    scanned_from = range.begin;
    const std::vector<FileRange> all = ranks.all_gather_value(FileRange{range.begin, end});
    bool agree = true;
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
      agree = agree && all[rank].begin == all[rank - 1].end;
    }
    if (agree) break;
    if (!ranks.is_first()) range.begin = all[static_cast<std::size_t>(ranks.rank()) - 1].end;
  }
  range.end = end;
}

/// The bytes of all members are cut into as many for each rank; a member that is compressed goes to
/// one rank. All ranks call it, with the same members and what their beginning shows. Throws Error
/// if they cannot be shared: standard input, pipes and single compressed files are read from front
/// to back.
TextShare share_of_text(const TextMembers& members, const FormatChoice& choice,
                        Communicator& ranks) {
  check_is_shareable(members, ranks.ranks());
  const char separator = choice.header.separator;
  const MemberBytes bytes(members, choice.header_lines, separator);
  const auto count = static_cast<std::uint64_t>(ranks.ranks());
  const auto start_of = [&](std::uint64_t rank) {
    if (rank == 0 || rank == count) return rank == 0 ? 0 : bytes.size();
    return bytes.cut_near(bytes.size() / count * rank + bytes.size() % count * rank / count);
  };
  const auto rank = static_cast<std::uint64_t>(ranks.rank());
  FileRange part = {start_of(rank), start_of(rank + 1)};
  if (separator != '\0' && !ranks.is_alone()) begin_at_records(bytes, ranks, part);
  return {bytes.pieces(part), {choice.header_lines, separator, members.first}};
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
