// The state of training, as text for the metadata of a checkpoint.
#pragma once

#include <map>
#include <span>
#include <string>

#include "lm/engine/trainer.h"
#include "lm/text/word_vocabulary.h"

namespace cane::lm {

/// The checksum of a text, as 16 hexadecimal digits.
std::string checksum_of(std::span<const WordId> text);

std::map<std::string, std::string> as_text(const LmTrainState& state);
/// Throws Error if the metadata is not a valid state.
LmTrainState state_from(const std::map<std::string, std::string>& values);

/// The options that a checkpoint was made with. Throws Error if the file is not a checkpoint or is
/// damaged.
struct CheckpointOptions {
  ModelOptions model;
  LmTrainOptions train;
};
CheckpointOptions checkpoint_options(const std::string& path);

}  // namespace cane::lm
