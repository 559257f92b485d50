#include "data/reader/text_pieces.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/file/file_kind.h"
#include "data/matrix/matrix.h"
#include "data/text/block_reader.h"
#include "data/text/csv_record.h"

namespace cane {
namespace {

constexpr std::string_view kLineEnd = "\r\n";

std::vector<std::string> sorted_fields(std::string_view record, char separator) {
  std::string storage;
  std::vector<std::string_view> fields;
  try {
    split_record(record, separator, storage, fields);
  } catch (const BadLine&) {
    return {};
  }
  std::vector<std::string> sorted(fields.begin(), fields.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted;
}

class PiecesSource final : public TextSource {
 public:
  PiecesSource(std::vector<TextPiece> pieces, RepeatedHeader header,
               std::shared_ptr<PieceLines> lines)
      : pieces_(std::move(pieces)), header_(std::move(header)), lines_(std::move(lines)) {}

  std::size_t read_some(std::span<char> buffer) override {
    while (true) {
      if (source_ == nullptr) {
        if (next_ == pieces_.size()) return 0;
        open(pieces_[next_++]);
      }
      if (const std::size_t count = read_piece(buffer); count > 0) {
        lines_read_ += static_cast<std::uint64_t>(std::ranges::count(buffer.first(count), '\n'));
        ends_line_ = buffer[count - 1] == '\n';
        return count;
      }
      check_damage(pieces_[next_ - 1].path);
      source_.reset();
      if (ends_line_) continue;
      buffer.front() = '\n';
      ++lines_read_;
      ends_line_ = true;
      return 1;
    }
  }
  bool is_ready() const override { return true; }

 private:
  void open(const TextPiece& piece) {
    lines_->begins.push_back({piece.path, piece.member, lines_read_});
    const bool is_start = !piece.range || piece.range->begin == 0;
    if (is_start) check_is_text(piece.path);
    source_ = piece.range ? open_range(piece.path, *piece.range) : open_text(piece.path);
    if (is_start) read_start(piece);
  }

  static void check_is_text(const std::string& path) {
    check_is_data(path);
    if (!is_numpy_file(path)) return;
    throw Error(fmt::format(
        "{}: a matrix is not read as one of several files; give the name of a matrix alone", path));
  }

  /// Reads as much as may have to be left out or made blank.
  void read_start(const TextPiece& piece) {
    const std::size_t longest_header = header_.text.size() + kLineEnd.size();
    start_.resize(kByteOrderMark.size() + std::max<std::size_t>(piece.blank_end, longest_header));
    start_.resize(source_->read(start_));
    if (start_.starts_with(kByteOrderMark)) start_.erase(0, kByteOrderMark.size());
    const std::size_t blank = piece.member == header_.member
                                  ? static_cast<std::size_t>(piece.blank_end)
                                  : header_.length_in(start_, piece.path);
    const auto end = start_.begin() + static_cast<std::ptrdiff_t>(std::min(blank, start_.size()));
    std::replace_if(
        start_.begin(), end, [](char character) { return character != '\n'; }, ' ');
  }

  std::size_t read_piece(std::span<char> buffer) {
    if (start_.empty()) return source_->read_some(buffer);
    const std::size_t count = start_.copy(buffer.data(), buffer.size());
    start_.erase(0, count);
    return count;
  }

  // A file that lacks its end would be hidden by those that follow.
  void check_damage(const std::string& path) const {
    if (const std::string damage = source_->damage(); !damage.empty()) {
      throw Error(
          fmt::format("{}: {}; get the file again, or take it out of the folder", path, damage));
    }
  }

  std::vector<TextPiece> pieces_;
  RepeatedHeader header_;
  std::shared_ptr<PieceLines> lines_;
  std::size_t next_ = 0;
  std::unique_ptr<TextSource> source_;  // null: between pieces
  std::string start_;                   // of the piece, read but not given yet
  std::uint64_t lines_read_ = 0;
  bool ends_line_ = true;
};

}  // namespace

std::size_t RepeatedHeader::length_in(std::string_view start, const std::string& path) const {
  if (text.empty()) return 0;
  const std::string_view rest = start.substr(std::min(text.size(), start.size()));
  const bool is_whole = rest.empty() || rest.starts_with('\n') || rest.starts_with(kLineEnd);
  if (start.starts_with(text) && is_whole) return text.size();
  if (separator == '\0') return 0;
  const std::vector<std::string> columns = sorted_fields(text, separator);
  if (!columns.empty() && sorted_fields(take_record(start, separator), separator) == columns) {
    throw Error(fmt::format(
        "{}:1: the columns are in another order than in the first file of the folder; write all "
        "files with the same columns",
        path));
  }
  return 0;
}

std::unique_ptr<TextSource> open_pieces(std::vector<TextPiece> pieces, RepeatedHeader header,
                                        std::shared_ptr<PieceLines> lines) {
  return std::make_unique<PiecesSource>(std::move(pieces), std::move(header), std::move(lines));
}

}  // namespace cane
