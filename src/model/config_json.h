// Training options as JSON, as stored in a model file: the stored fields of cane/fields.h.
#pragma once

#include <string>

#include "cane/config.h"
#include "methods/retired_options.h"

namespace cane {

/// The file that the options come from and the program that wrote it, for example "cane 0.2.0".
struct ConfigSource {
  std::string path;
  std::string writer;
};

/// Options of earlier versions are written where they differ from their defaults.
std::string config_to_json(const TrainConfig& config, const RetiredOptions& retired = {});

struct StoredOptions {
  TrainConfig config;
  RetiredOptions retired;
};
/// Missing fields keep their defaults. Throws Error naming the source on anything that this version
/// does not know.
StoredOptions config_from_json(const std::string& text, const ConfigSource& source);

}  // namespace cane
