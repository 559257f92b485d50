// Counts what was read of a text and, at a bad line, either stops or records that it was skipped.
// Where several ranks read parts of one text, they agree at the end: line numbers are those of the
// file that the line is in, and the first bad line of the text is reported, whoever met it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cane/data_options.h"
#include "cane/dataset.h"
#include "core/parallel/communicator.h"
#include "data/blocks/parsed_block.h"
#include "data/text/text_format.h"

namespace cane {

/// Which files, or pieces of files, of a text have been read so far, and where they began, in lines
/// of all that was read.
struct PieceLines {
  struct Begin {
    std::string path;
    std::size_t member = 0;  // its number among the files of the text
    std::uint64_t line = 0;
    std::uint64_t left_out = 0;  // lines of its header
  };
  std::vector<Begin> begins;
};

class ReadingProgress {
 public:
  /// `name` identifies the text in messages, or `pieces` the files that it is made of. With
  /// `defers`, a bad line stops this rank, but throws only once all ranks are at the end.
  ReadingProgress(std::string name, OnError on_error, std::shared_ptr<const PieceLines> pieces = {},
                  bool defers = false)
      : name_(std::move(name)), on_error_(on_error), pieces_(std::move(pieces)), defers_(defers) {}

  /// So many lines of a text that is no pieces are left out, those of its header.
  void leave_out(std::uint64_t lines) { left_out_ = lines; }
  /// Adds the next block of the text. Throws Error at a bad line, unless bad lines are skipped or
  /// errors deferred.
  void add(const ParsedBlock& block);
  /// A bad line was met, so that the rest of the text need not be read.
  bool has_stopped() const { return on_error_ == OnError::kStop && report_.skipped_lines > 0; }
  /// Call after the last block, on all ranks. Throws Error, or records it, if the text was damaged
  /// or does not match its header; throws Error if there is no example on any rank. The report is
  /// that of this rank, but for the numbers of lines.
  ReadReport check_end(const std::string& damage, const TextHeader& header, Communicator& ranks);

  const std::string& name() const { return name_; }

 private:
  /// What a rank has read.
  struct Counts {
    std::uint64_t lines = 0;
    std::uint64_t records = 0;
    std::uint64_t examples = 0;
    std::uint64_t not_examples = 0;  // of these, where every row is one
    std::uint64_t skipped = 0;
    std::uint64_t pieces = 0;
    std::uint64_t first_member = 0;
    std::uint64_t last_member = 0;
    std::uint64_t last_lines = 0;  // of the last piece
    std::array<Finding, Finding::kKinds> findings;
  };

  /// Lines that lower ranks have read of the member that this rank's part begins in.
  static std::uint64_t lines_before(std::span<const Counts> parts, std::size_t rank);

  /// Says what was found, of all ranks. Throws Error if no row has a column of the features.
  void report_findings(std::span<const Counts> parts, std::uint64_t all_examples,
                       const TextHeader& header, Communicator& ranks);
  /// `line` counts from 0, within the part of this rank.
  void reject(std::uint64_t line, const std::string& message, std::uint64_t bad_lines = 1);
  std::string text_at(std::uint64_t line, const std::string& message) const;

  std::string name_;
  OnError on_error_;
  std::shared_ptr<const PieceLines> pieces_;  // null: the text is not made of pieces
  bool defers_;
  std::uint64_t left_out_ = 0;
  std::uint64_t lines_before_ = 0;  // of the first piece, on lower ranks
  ReadReport report_;
  Counts read_;
  std::uint64_t first_bad_line_ = 0;
  std::string first_bad_message_;
};

}  // namespace cane
