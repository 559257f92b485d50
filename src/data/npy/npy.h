// NumPy files. An array (.npy, versions 1 to 3) is mapped into memory, not copied; only C order
// (row-major) is supported. A dense matrix X.npy with its labels is a dataset whose rows are
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
  /// Throws Error, with the cause and what to do, if the file is not valid.
  explicit NpyArray(const std::string& path);

  /// As NumPy writes it: '<f4', '|u1', ...
  const std::string& type() const { return type_; }
  const std::vector<std::uint64_t>& shape() const { return shape_; }
  /// Aligned to the element size; as many bytes as shape and type imply.
  std::span<const std::byte> data() const { return data_; }

 private:
  void parse_header(const std::string& header);
  void check_size() const;

  MappedFile file_;
  std::string type_;
  std::vector<std::uint64_t> shape_;
  std::span<const std::byte> data_;
};

/// Whether this is a regular file with the .npy magic or extension.
bool is_npy(const std::string& path);

/// The labels of a matrix: the file that was named, otherwise one next to the matrix. There a
/// leading X becomes y (X_train.npy -> y_train.npy), or NAME.labels.npy, or either of these as .txt
/// with one label per line. Empty if there is none; `tried` then lists the names tried.
std::string find_label_file(const std::string& path, const std::string& named, std::string& tried);

/// Like load_data.
LoadedData load_npy(const std::string& path, const DataOptions& options, const Vocabulary* known,
                    ThreadPool& pool);

}  // namespace cane
