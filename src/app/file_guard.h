// Keeps the user's files: a verb declares which files it reads and which it writes, and before
// anything is opened refuses an output that is also an input (the same device and inode, links
// followed) or another output, and one that would replace a file of another kind.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/file/file_kind.h"

namespace cane::cli {

struct InputFile {
  std::string option;  // as the user writes it: "--valid", "TRAIN"
  std::string path;    // "-": standard input
};

struct OutputFile {
  std::string option;
  std::string path;
  FileKind kind = FileKind::kUnknown;
  bool is_recognized = false;  // a file there is known to be of this kind by other means
  bool makes_folder = false;   // the folder is made if it is missing
  bool needs_file = false;     // it is written several times, or read again: no pipe, no device
  const char* instead = "";    // what to do, where even one of this kind is not to be replaced
};

/// Throws Error that names option, file and remedy. `overwrite` allows to replace a file of another
/// kind, or what is not to be replaced, never an input. Removes the temporary files that a killed
/// writer of an output has left.
void check_files(const std::vector<InputFile>& inputs, const std::vector<OutputFile>& outputs,
                 bool overwrite);

/// The files of these names in a folder that is made if it is missing. They are recognised as those
/// of an earlier run if the file `witness` there contains `text` near its beginning.
std::vector<OutputFile> files_in_folder(const std::string& option, const std::string& folder,
                                        const std::vector<std::string>& names,
                                        const std::string& witness, const std::string& text);

/// What a verb has declared; the lists are made when the options are known.
class FileGuard {
 public:
  using Inputs = std::function<std::vector<InputFile>()>;
  using Outputs = std::function<std::vector<OutputFile>()>;

  void reads(Inputs inputs) { inputs_.push_back(std::move(inputs)); }
  void writes(Outputs outputs) { outputs_.push_back(std::move(outputs)); }
  bool has_outputs() const { return !outputs_.empty(); }

  /// An empty path is no file.
  void check(bool overwrite) const;

 private:
  std::vector<Inputs> inputs_;
  std::vector<Outputs> outputs_;
};

}  // namespace cane::cli
