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
  std::vector<std::string> fields =
      fields_of(record, separator).value_or(std::vector<std::string>());
  std::sort(fields.begin(), fields.end());
  return fields;
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
    const bool is_start = !piece.range || piece.range->begin == 0;
    if (is_start) check_is_text(piece.path);
    source_ = piece.range ? open_range(piece.path, *piece.range) : open_text(piece.path);
    const std::uint64_t left_out = is_start ? read_start(piece) : 0;
    lines_->begins.push_back({piece.path, piece.member, lines_read_, left_out});
  }

  static void check_is_text(const std::string& path) {
    check_is_data(path);
    if (!is_numpy_file(path)) return;
    throw Error(fmt::format(
        "{}: a matrix is not read as one of several files; give the name of a matrix alone", path));
  }

  /// Reads as much as may have to be left out; returns how many lines that was.
  std::uint64_t read_start(const TextPiece& piece) {
    const HeaderLines& header = header_.lines;
    start_.resize(kByteOrderMark.size() + header.end() + kLineEnd.size());
    start_.resize(source_->read(start_));
    if (start_.starts_with(kByteOrderMark)) start_.erase(0, kByteOrderMark.size());
    const bool has_it = piece.member == header_.member ? !header_.is_kept && !header.text.empty()
                                                       : header_.begins(start_, piece.path);
    if (!has_it) return 0;
    const std::uint64_t begin = piece.member == header_.member ? header.begin : 0;
    const std::size_t line_end = start_.find('\n', begin + header.text.size());
    start_.erase(begin, line_end == std::string::npos ? line_end : line_end + 1 - begin);
    return header.count();
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

bool RepeatedHeader::begins(std::string_view start, const std::string& path) const {
  const std::string& text = lines.text;
  if (text.empty()) return false;
  const std::string_view rest = start.substr(std::min(text.size(), start.size()));
  const bool is_whole = rest.empty() || rest.starts_with('\n') || rest.starts_with(kLineEnd);
  if (start.starts_with(text) && is_whole) return true;
  if (separator == '\0') return false;
  const std::vector<std::string> columns = sorted_fields(text, separator);
  if (!columns.empty() && sorted_fields(take_record(start, separator), separator) == columns) {
    throw Error(fmt::format(
        "{}:1: the columns are in another order than in the first file of the folder; write all "
        "files with the same columns",
        path));
  }
  return false;
}

std::unique_ptr<TextSource> open_pieces(std::vector<TextPiece> pieces, RepeatedHeader header,
                                        std::shared_ptr<PieceLines> lines) {
  return std::make_unique<PiecesSource>(std::move(pieces), std::move(header), std::move(lines));
}

}  // namespace cane
