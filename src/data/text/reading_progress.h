// Counts what was read of a text and, at a bad line, either stops or records that it was skipped.
// Where several ranks read parts of one text, they agree at the end: line numbers are those of the
// file that the line is in, and the first bad line of the text is reported, whoever met it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "cane/data_options.h"
#include "cane/dataset.h"
#include "core/parallel/communicator.h"
#include "data/text/parsed_block.h"
#include "data/text/text_format.h"
#include "data/text/text_pieces.h"

namespace cane {

class ReadingProgress {
 public:
  /// `name` identifies the text in messages.
  ReadingProgress(std::string name, OnError on_error)
      : name_(std::move(name)), on_error_(on_error) {}

  /// The text consists of these pieces, whose files are named in messages.
  void take_pieces(std::shared_ptr<const PieceLines> pieces) { pieces_ = std::move(pieces); }
  /// A bad line stops this rank, but throws only once all ranks are at the end.
  void defer_errors() { defers_ = true; }
  /// Adds the next block of the text. Throws Error at a bad line, unless bad lines are skipped or
  /// errors deferred.
  void add(const ParsedBlock& block);
  /// A bad line was met, so that the rest of the text need not be read.
  bool has_stopped() const { return on_error_ == OnError::kStop && report_.skipped_lines > 0; }
  /// Call after the last block, on all ranks. Throws Error, or records it, if the text was damaged
  /// or does not match its header; throws Error if there is no example on any rank.
  void check_end(const std::string& damage, const TextHeader& header, Communicator& ranks);

  const std::string& name() const { return name_; }
  /// Of this rank.
  std::uint64_t num_examples() const { return read_.examples; }
  /// Of this rank, but for the line numbers; complete after check_end().
  ReadReport& report() { return report_; }

 private:
  /// What a rank has read.
  struct Counts {
    std::uint64_t lines = 0;
    std::uint64_t records = 0;
    std::uint64_t examples = 0;
    std::uint64_t skipped = 0;
    std::uint64_t pieces = 0;
    std::uint64_t first_member = 0;
    std::uint64_t last_member = 0;
    std::uint64_t last_lines = 0;  // of the last piece
  };

  /// Lines that lower ranks have read of the member that this rank's part begins in.
  static std::uint64_t lines_before(std::span<const Counts> parts, std::size_t rank);

  /// `line` counts from 0, within the part of this rank.
  void reject(std::uint64_t line, const std::string& message, std::uint64_t bad_lines = 1);
  std::string text_at(std::uint64_t line, const std::string& message) const;

  std::string name_;
  OnError on_error_;
  std::shared_ptr<const PieceLines> pieces_;  // null: the text is not made of pieces
  std::uint64_t lines_before_ = 0;            // of the first piece, on lower ranks
  bool defers_ = false;
  ReadReport report_;
  Counts read_;
  std::uint64_t first_bad_line_ = 0;
  std::string first_bad_message_;
};

}  // namespace cane
