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

bool is_blank_text(const TextBlock& block) {
  return !block.long_line_follows && block.text.find_first_not_of(" \t\r\n") == std::string::npos;
}

}  // namespace

LineStream::LineStream(const std::string& path, const DataOptions& options, const Vocabulary& known)
    : path_(path),
      options_(options),
      known_(known),
      progress_(source_name(path), options.on_error),
      reader_(open_text(path), kLimits, Filling::kLines),
      parser_(parser_for(fallback_format(known), {}, known, options)) {
  check_is_no_matrix(progress_.name(), options);
}

bool LineStream::wait() {
  if (!next_.empty()) return true;
  std::vector<TextBlock> read(1);
  if (!reader_.next(read.front())) {
    read.clear();
    if (!has_format_ && !has_answered_) choose_parser({});  // says what is wrong
    return false;
  }
  // Blank lines tell no format, and their answers need none.
  has_answered_ = has_format_ || (options_.every_row && is_blank_text(read.front()));
  if (has_answered_) {
    next_ = std::move(read);
  } else {
    choose_parser(std::move(read));
  }
  return true;
}

// The first line decides the format: its result cannot wait for later lines.
void LineStream::choose_parser(std::vector<TextBlock> read) {
  FormatChoice choice = choose_format(
      progress_.name(),
      {.wanted = options_.format == Format::kAuto ? format_of_name(path_) : options_.format,
       .max_lines = 1,
       .known = &known_,
       .options = options_},
      reader_, std::move(read));
  check_feature_options(progress_.name(), choice.has_words, options_, &known_);
  check_table_options(progress_.name(), choice.header.table != nullptr, options_, &known_);
  progress_.leave_out(choice.header_lines.count());
  parser_ = parser_for(*choice.format, choice.header, known_, options_);
  has_format_ = true;
  next_ = std::move(choice.blocks);
}

std::span<const TextBlock> LineStream::take() {
  taken_ = std::exchange(next_, {});
  return taken_;
}

void LineStream::read_ready(int threads) {
  if (!has_format_) return;  // the first line that is not blank shows it
  const std::size_t enough = kBlocksPerThread * static_cast<std::size_t>(threads);
  TextBlock block;
  while (next_.size() < enough && reader_.next_ready(block)) next_.push_back(std::move(block));
}

ReadReport LineStream::finish() {
  Communicator alone;
  return progress_.check_end(reader_.damage(), parser_.header, alone);
}

}  // namespace cane
