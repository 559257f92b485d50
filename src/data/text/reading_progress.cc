#include "data/text/reading_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cane/error.h"

namespace cane {

void ReadingProgress::add(const ParsedBlock& block) {
  if (block.bad_lines > 0) {
    reject(read_.lines + block.first_bad_line, block.first_bad_message, block.bad_lines);
  }
  read_.lines += block.lines;
  read_.records += block.records;
  read_.examples += block.size();
}

void ReadingProgress::reject(std::uint64_t line, const std::string& message,
                             std::uint64_t bad_lines) {
  if (on_error_ == OnError::kStop && !defers_) throw Error(text_at(line, message));
  if (report_.skipped_lines == 0) {
    first_bad_line_ = line;
    first_bad_message_ = message;
  }
  report_.skipped_lines += bad_lines;
}

std::string ReadingProgress::text_at(std::uint64_t line, const std::string& message) const {
  if (pieces_ == nullptr || pieces_->begins.empty()) {
    return fmt::format("{}:{}: {}", name_, line + 1, message);
  }
  const auto& begins = pieces_->begins;
  const auto next = std::upper_bound(
      begins.begin() + 1, begins.end(), line,
      [](std::uint64_t value, const PieceLines::Begin& begin) { return value < begin.line; });
  const PieceLines::Begin& piece = *(next - 1);
  const std::uint64_t before = &piece == &begins.front() ? lines_before_ : 0;
  return fmt::format("{}:{}: {}", piece.path, before + line - piece.line + 1, message);
}

std::uint64_t ReadingProgress::lines_before(std::span<const Counts> parts, std::size_t rank) {
  std::uint64_t lines = 0;
  for (std::size_t lower = rank; lower-- > 0 && parts[rank].pieces > 0;) {
    const Counts& part = parts[lower];
    if (part.pieces == 0) continue;
    if (part.last_member != parts[rank].first_member) break;
    lines += part.last_lines;
    if (part.pieces > 1) break;
  }
  return lines;
}

ReadReport ReadingProgress::check_end(const std::string& damage, const TextHeader& header,
                                      Communicator& ranks) {
  if (!damage.empty()) {
    reject(read_.lines,
           damage + "; get the file again, or keep what could be read with `on_error skip`");
  }
  read_.skipped = report_.skipped_lines;
  if (pieces_ != nullptr && !pieces_->begins.empty()) {
    read_.pieces = pieces_->begins.size();
    read_.first_member = pieces_->begins.front().member;
    read_.last_member = pieces_->begins.back().member;
    read_.last_lines = read_.lines - std::min(read_.lines, pieces_->begins.back().line);
  }
  const std::vector<Counts> parts = ranks.all_gather_value(read_);
  Counts all;
  for (const Counts& part : parts) {
    all.lines += part.lines;
    all.records += part.records;
    all.examples += part.examples;
    all.skipped += part.skipped;
  }
  lines_before_ = lines_before(parts, static_cast<std::size_t>(ranks.rank()));
  if (read_.skipped > 0) report_.first_skipped = text_at(first_bad_line_, first_bad_message_);
  const auto first_bad =
      std::find_if(parts.begin(), parts.end(), [](const Counts& part) { return part.skipped > 0; });
  std::string first_skipped;
  if (first_bad != parts.end()) {
    const auto root = static_cast<int>(first_bad - parts.begin());
    first_skipped = text_of(ranks.broadcast(bytes_of_text(report_.first_skipped), root));
  }
  if (on_error_ == OnError::kStop && all.skipped > 0) throw Error(first_skipped);
  if (damage.empty() && header.is_given && header.rows != all.records) {
    const std::string problem = fmt::format(
        "{}:{}: the file ends after {} rows, but its header announces {}; correct the header "
        "or complete the file (blank lines are no rows)",
        name_, all.lines + 1, all.records, header.rows);
    if (on_error_ == OnError::kStop) throw Error(problem);
    const bool is_last = ranks.rank() + 1 == ranks.ranks();
    if (is_last && report_.skipped_lines++ == 0) report_.first_skipped = problem;
    if (all.skipped++ == 0) first_skipped = problem;
  }
  if (all.examples > 0) return std::move(report_);
  if (all.skipped > 0) {
    throw Error(fmt::format("{}: every line was skipped ({}); the first: {}", name_, all.skipped,
                            first_skipped));
  }
  throw Error(fmt::format("{}: there are no examples; give a file with data", name_));
}

}  // namespace cane
