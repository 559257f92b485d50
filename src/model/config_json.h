// Training options as JSON, as they are kept in a model file.
#pragma once

#include <string>

#include "cane/config.h"

namespace cane {

std::string config_to_json(const TrainConfig& config);
/// Throws Error naming `path` on anything unexpected.
TrainConfig config_from_json(const std::string& text, const std::string& path);

/// The command-line names of the options that differ, "--lr, --batch"; those that change neither
/// the course of training nor its result (threads, paths) are not compared.
std::string differing_options(const TrainConfig& a, const TrainConfig& b);

}  // namespace cane
