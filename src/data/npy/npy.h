// NumPy files. An array (.npy, versions 1 to 3) is mapped into memory, not copied; only C order:
// rows lie one after the other. A dense matrix X.npy with its labels is a dataset whose rows are
// converted and normalised when they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/thread_pool.h"
#include "core/file/mapped_file.h"
#include "data/loaded_data.h"

namespace cane {

class NpyArray {
 public:
  /// Throws Error, what is wrong and what to do, if anything about the file is.
  explicit NpyArray(const std::string& path);

  /// As NumPy writes it: '<f4', '|u1', ...
  const std::string& type() const { return type_; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  /// Aligned for elements of their size; as many bytes as shape and type say.
  std::span<const std::byte> data() const { return data_; }

 private:
  void parse_header(const std::string& header);
  void check_size() const;

  MappedFile file_;
  std::string type_;
  std::vector<std::uint64_t> shape_;
  std::span<const std::byte> data_;
};

/// A regular file that starts as .npy files do, or is called so.
bool is_npy(const std::string& path);

/// As load_data. The labels are in the file that the options name, else in one next to the matrix:
/// a leading X becomes y (X_train.npy -> y_train.npy), or NAME.labels.npy, or each of them as .txt,
/// a label a line.
LoadedData load_npy(const std::string& path, const DataOptions& options, const Vocabulary* known,
                    ThreadPool& pool);

}  // namespace cane
