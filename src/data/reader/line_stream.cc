#include "data/reader/line_stream.h"

#include <cstddef>
#include <utility>

#include "data/reader/formats.h"
#include "data/text/text_format.h"
#include "data/vocabulary/feature_options.h"

namespace cane {
namespace {

// Capacity of a pipe; more input gives several blocks, and so work for several threads.
constexpr BlockLimits kLimits = {.block_bytes = std::size_t{1} << 16};
constexpr std::size_t kBlocksPerThread = 8;

}  // namespace

LineStream::LineStream(const std::string& path, const DataOptions& options, const Vocabulary& known)
    : path_(path),
      options_(options),
      known_(known),
      progress_(source_name(path), options.on_error),
      reader_(open_text(path), kLimits, Filling::kLines) {
  check_is_no_matrix(progress_.name(), options);
}

bool LineStream::wait() {
  if (!next_.empty()) return true;
  if (parser_.format == nullptr) {
    choose_parser();
    return true;
  }
  TextBlock block;
  if (!reader_.next(block)) return false;
  next_.push_back(std::move(block));
  return true;
}

// The first line decides the format: its result cannot wait for later lines.
void LineStream::choose_parser() {
  FormatChoice choice = choose_format(
      progress_.name(),
      {.wanted = options_.format == Format::kAuto ? format_of_name(path_) : options_.format,
       .max_lines = 1,
       .known = &known_,
       .options = options_},
      reader_);
  check_feature_options(progress_.name(), choice.has_words, options_, &known_);
  check_table_options(progress_.name(), choice.header.table != nullptr, options_, &known_);
  parser_ = parser_for(*choice.format, choice.header, known_, options_);
  next_.assign(std::make_move_iterator(choice.blocks.begin()),
               std::make_move_iterator(choice.blocks.end()));
}

std::span<const TextBlock> LineStream::take() {
  taken_ = std::exchange(next_, {});
  return taken_;
}

void LineStream::read_ready(int threads) {
  const std::size_t enough = kBlocksPerThread * static_cast<std::size_t>(threads);
  TextBlock block;
  while (next_.size() < enough && reader_.next_ready(block)) next_.push_back(std::move(block));
}

ReadReport LineStream::finish() {
  Communicator alone;
  return progress_.check_end(reader_.damage(), parser_.header, alone);
}

}  // namespace cane
