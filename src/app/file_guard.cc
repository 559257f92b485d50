#include "app/file_guard.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>

#include "cane/error.h"
#include "core/base/bad_line.h"
#include "core/file/output_target.h"
#include "core/file/temporary_file.h"

namespace cane::cli {
namespace {

namespace fs = std::filesystem;

// Files and FIFOs have an identity; a device, a terminal say, may be read and written.
std::optional<std::pair<dev_t, ino_t>> identity_of(const std::string& path) {
  struct stat status {};
  const int failed = path == "-" ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status);
  if (failed != 0 || !(S_ISREG(status.st_mode) || S_ISFIFO(status.st_mode))) return std::nullopt;
  return std::pair(status.st_dev, status.st_ino);
}

OutputTarget target_of(const OutputFile& output) {
  try {
    return output_target(output.path);
  } catch (const Error& error) {
    throw Error(fmt::format("{}: {}", output.option, error.what()));
  }
}

bool is_same_file(const OutputFile& one, const OutputFile& other) {
  const auto identity = identity_of(one.path);
  if (identity) return identity == identity_of(other.path);
  // Neither may exist yet.
  std::error_code ignored;
  if (fs::exists(one.path, ignored) || fs::exists(other.path, ignored)) return false;
  const auto name = [](const OutputFile& output) {
    std::error_code problem;
    const fs::path place = fs::absolute(target_of(output).path).lexically_normal();
    const fs::path known = fs::weakly_canonical(place, problem);
    return problem ? place : known;
  };
  return name(one) == name(other);
}

std::string described(const InputFile& input) {
  if (input.path == "-") return fmt::format("standard input ({})", input.option);
  return fmt::format("{} ({})", input.path, input.option);
}

// The next run on the name that it was to get removes it.
void check_is_complete(const InputFile& input) {
  std::error_code problem;
  if (!is_temporary(fs::canonical(input.path, problem).string()) || problem) return;
  throw Error(fmt::format(
      "{}: {} is what a killed run left, and may end anywhere; rename it if you want to read it",
      input.option, input.path));
}

void check_inputs(const OutputFile& output, const std::vector<InputFile>& inputs) {
  const auto identity = identity_of(output.path);
  if (!identity) return;
  for (const InputFile& input : inputs) {
    if (identity != identity_of(input.path)) continue;
    throw Error(
        fmt::format("{}: {} is the same file as {}, which would be lost; choose another name",
                    output.option, output.path, described(input)));
  }
}

// Hours of work must not be lost because the result cannot be written.
void check_place(const OutputFile& output, const OutputTarget& target) {
  fs::path folder = fs::path(target.path).parent_path();
  if (folder.empty()) folder = ".";
  std::error_code ignored;
  if (!fs::is_directory(folder, ignored)) {
    if (output.makes_folder) return;
    throw Error(
        fmt::format("{}: there is no folder {}; make it first", output.option, folder.string()));
  }
  const long longest = ::pathconf(folder.c_str(), _PC_NAME_MAX);
  const std::size_t length = fs::path(target.path).filename().string().size();
  if (longest > 0 && length + kTemporaryEnding > static_cast<std::size_t>(longest)) {
    throw Error(
        fmt::format("{}: the name {} is too long, and what is not complete yet is written "
                    "to a longer one; choose one of {} bytes at most",
                    output.option, in_quotes(fs::path(target.path).filename().string()),
                    static_cast<std::size_t>(longest) - kTemporaryEnding));
  }
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw Error(fmt::format("{}: the folder {} cannot be written to; choose another one",
                            output.option, folder.string()));
  }
}

void check_kind(const OutputFile& output) {
  const FileKind found = kind_of_file(output.path);
  if (found == FileKind::kNothing || output.is_recognized) return;
  if (found == output.kind) {
    if (*output.instead == '\0') return;
    throw Error(fmt::format("{}: {} is {}; {}, and --overwrite replaces it", output.option,
                            output.path, kind_text(found), output.instead));
  }
  const std::string known =
      found == FileKind::kUnknown ? "exists, and is" : fmt::format("is {},", kind_text(found));
  throw Error(
      fmt::format("{}: {} {} not {}; choose another name, or give --overwrite to replace it",
                  output.option, output.path, known, kind_text(output.kind)));
}

void check_output(const OutputFile& output, bool overwrite) {
  const OutputTarget target = target_of(output);
  if (target.is_stream && output.needs_file) {
    throw Error(fmt::format(
        "{}: {} is a pipe or a device, and is written or read more than once; give the name of a "
        "file",
        output.option, output.path));
  }
  if (target.is_stream) return;
  check_place(output, target);
  if (!overwrite) check_kind(output);
  remove_abandoned(target.path);
}

}  // namespace

void check_files(const std::vector<InputFile>& inputs, const std::vector<OutputFile>& outputs,
                 bool overwrite) {
  for (const InputFile& input : inputs) check_is_complete(input);
  for (const OutputFile& output : outputs) check_inputs(output, inputs);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same_file(outputs[i], outputs[j])) continue;
      throw Error(fmt::format("{}: {} is the same file as {} ({}); choose another name for one",
                              outputs[i].option, outputs[i].path, outputs[j].path,
                              outputs[j].option));
    }
  }
  for (const OutputFile& output : outputs) check_output(output, overwrite);
}

std::vector<OutputFile> files_in_folder(const std::string& option, const std::string& folder,
                                        const std::vector<std::string>& names,
                                        const std::string& witness, const std::string& text) {
  constexpr std::streamsize kBeginning = 1000;
  std::string beginning(kBeginning, '\0');
  std::ifstream(fs::path(folder) / witness).read(beginning.data(), kBeginning);
  const bool is_known = beginning.find(text) != std::string::npos;
  std::vector<OutputFile> files;
  for (const std::string& name : names) {
    files.push_back({.option = option,
                     .path = (fs::path(folder) / name).string(),
                     .kind = FileKind::kResults,
                     .is_recognized = is_known,
                     .makes_folder = true,
                     .needs_file = true});
  }
  return files;
}

void FileGuard::check(bool overwrite) const {
  std::vector<InputFile> inputs;
  std::vector<OutputFile> outputs;
  for (const Inputs& list : inputs_) {
    for (InputFile& input : list()) {
      if (!input.path.empty()) inputs.push_back(std::move(input));
    }
  }
  for (const Outputs& list : outputs_) {
    for (OutputFile& output : list()) {
      if (!output.path.empty()) outputs.push_back(std::move(output));
    }
  }
  check_files(inputs, outputs, overwrite);
}

}  // namespace cane::cli
