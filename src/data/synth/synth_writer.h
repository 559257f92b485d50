// Writes one split of the synthetic data, block by block, so that memory does not grow with the
// number of examples. Nothing appears under its final name before commit().
#pragma once

#include <optional>
#include <string>

#include "core/base/thread_pool.h"
#include "core/file/atomic_file.h"
#include "data/synth/synth_law.h"

namespace cane {

class SynthWriter {
 public:
  /// Writes `folder`/X_<name>.npy (float32) and y_<name>.npy (int64), or as text
  /// `folder`/<name>.svm with features counted from 1 and values that read back as the same
  /// float32.
  SynthWriter(const SynthLaw& law, SynthSplit split, const std::string& folder, ThreadPool& pool);

  void commit();
  /// What a user gives to `cane train` or `cane test`.
  const std::string& path() const { return path_; }

 private:
  void write_text(ThreadPool& pool);
  void write_matrix(ThreadPool& pool);

  const SynthLaw& law_;
  SynthSplit split_;
  std::string path_;
  std::optional<AtomicFile> file_;
  std::optional<AtomicFile> labels_file_;
};

}  // namespace cane
