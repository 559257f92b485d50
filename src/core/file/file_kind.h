// What a file is, as far as its first bytes tell: outputs replace files of their own kind only.
// Predictions are plain text that could be anybody's. They carry a mark (an extended attribute)
// that holds while nobody has changed the file; where the file system keeps none, they are unknown.
#pragma once

#include <string>

namespace cane {

enum class FileKind {
  kNothing,  // no such file, or an empty one
  kModel,
  kCheckpoint,
  kLanguageModel,
  kLanguageModelCheckpoint,
  kTree,
  kLog,
  kPredictions,
  kClassMeasures,
  kResults,  // in the folder of a comparison or of synthetic data, known by the file that names it
  kUnknown,
};

/// Follows links. A file that cannot be read is unknown.
FileKind kind_of_file(const std::string& path);

/// "a model of `cane`"
const char* kind_text(FileKind kind);

/// Throws Error if the file that is to be read as data was written by one of the programs for
/// another purpose: a model, a checkpoint, a tree or a log.
void check_is_data(const std::string& path);

/// Marks an open file whose content is complete. Failing is not an error.
void mark_as_predictions(int descriptor);

}  // namespace cane
