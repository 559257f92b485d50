// Which part of a text a rank reads: whole lines, or whole records where fields may hold line ends.
// The parts of all ranks, in their order, are the text. Only its beginning, which shows the format,
// is read by every rank.
#pragma once

#include <vector>

#include "core/parallel/communicator.h"
#include "data/reader/text_members.h"
#include "data/reader/text_pieces.h"
#include "data/text/text_format.h"

namespace cane {

struct TextShare {
  std::vector<TextPiece> pieces;
  RepeatedHeader header;
};

/// The bytes of all members are cut into as many for each rank; a member that is compressed goes to
/// one rank. All ranks call it, with the same members and what their beginning shows. Throws Error
/// if they cannot be shared: standard input, pipes and single compressed files are read from front
/// to back.
TextShare share_of_text(const TextMembers& members, const FormatChoice& choice,
                        Communicator& ranks);

}  // namespace cane
