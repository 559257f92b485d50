#include "data/text/reading_progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "cane/error.h"

namespace cane {

void ReadingProgress::add(const ParsedBlock& block) {
  if (block.bad_lines > 0) {
    reject(read_.lines + block.first_bad_line, block.first_bad_message, block.bad_lines);
  }
  for (std::size_t kind = 0; kind < Finding::kKinds; ++kind) {
    const Finding& found = block.findings[kind];
    Finding& all = read_.findings[kind];
    if (all.count == 0) all = {0, read_.lines + found.first_line, found.lines};
    all.count += found.count;
  }
  read_.lines += block.lines;
  read_.records += block.records;
  read_.examples += block.size();
  for (const RowGap& gap : block.gaps) {
    (gap.kind == GapKind::kEmpty ? report_.empty_examples : read_.not_examples) += 1;
  }
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
    return fmt::format("{}:{}: {}", name_, left_out_ + line + 1, message);
  }
  const auto& begins = pieces_->begins;
  const auto next = std::upper_bound(
      begins.begin() + 1, begins.end(), line,
      [](std::uint64_t value, const PieceLines::Begin& begin) { return value < begin.line; });
  const PieceLines::Begin& piece = *(next - 1);
  const std::uint64_t before = &piece == &begins.front() ? lines_before_ : 0;
  return fmt::format("{}:{}: {}", piece.path, before + piece.left_out + line - piece.line + 1,
                     message);
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

void ReadingProgress::report_findings(std::span<const Counts> parts, std::uint64_t all_examples,
                                      const TextHeader& header, Communicator& ranks) {
  for (std::size_t kind = 0; kind < Finding::kKinds; ++kind) {
    std::uint64_t count = 0;
    for (const Counts& part : parts) count += part.findings[kind].count;
    if (count == 0) continue;
    const auto first = std::ranges::find_if(
        parts, [&](const Counts& part) { return part.findings[kind].count > 0; });
    const Finding& own = read_.findings[kind];
    const std::string place = text_of(ranks.broadcast(bytes_of_text(text_at(own.first_line, "")),
                                                      static_cast<int>(first - parts.begin())));
    const std::string_view where = std::string_view(place).substr(0, place.size() - 2);
    std::string text;
    switch (kind) {
      case Finding::kLong:
        text = fmt::format(
            "{} rows span more than 50 lines each, the first {} from {} on; is a quote not closed?",
            count, first->findings[kind].lines, where);
        break;
      case Finding::kHeader:
        text =
            fmt::format("{} rows repeat the names of the columns, the first at {}", count, where);
        break;
      case Finding::kNoUtf8:
        text = fmt::format(
            "{} lines are not in UTF-8, the first at {}; their words may not be what they were",
            count, where);
        break;
      default:
        if (count == all_examples) {
          throw Error(fmt::format(
              "{}: no row has a value in a column of the features ({}); give data that has them",
              name_, header.columns));
        }
        text =
            fmt::format("{} rows have no value in any column of the features ({}), the first at {}",
                        count, header.columns, where);
    }
    report_.warnings.push_back(std::move(text));
  }
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
    const PieceLines::Begin& last = pieces_->begins.back();
    read_.last_lines = last.left_out + read_.lines - std::min(read_.lines, last.line);
  }
  const std::vector<Counts> parts = ranks.all_gather_value(read_);
  Counts all;
  for (const Counts& part : parts) {
    all.lines += part.lines;
    all.records += part.records;
    all.examples += part.examples - part.not_examples;
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
        name_, left_out_ + all.lines + 1, all.records, header.rows);
    if (on_error_ == OnError::kStop) throw Error(problem);
    const bool is_last = ranks.rank() + 1 == ranks.ranks();
    if (is_last && report_.skipped_lines++ == 0) report_.first_skipped = problem;
    if (all.skipped++ == 0) first_skipped = problem;
  }
  if (all.examples > 0) {
    report_findings(parts, all.examples, header, ranks);
    return std::move(report_);
  }
  if (all.skipped > 0) {
    throw Error(fmt::format("{}: every line was skipped ({}); the first: {}", name_, all.skipped,
                            first_skipped));
  }
  throw Error(fmt::format("{}: there are no examples; give a file with data", name_));
}

}  // namespace cane
