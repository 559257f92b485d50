// The parsed form of a text file, stored in a cache folder and mapped into memory on the next run.
// It is used only if it was made from the same source (path, inode, size, times), with the same
// options and the same known vocabulary, and is fully intact; otherwise the file is parsed
// again.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "core/base/thread_pool.h"
#include "core/file/atomic_file.h"
#include "core/file/cache_source.h"
#include "core/parallel/communicator.h"
#include "data/blocks/parsed_data.h"
#include "data/cache/cache_layout.h"

namespace cane {

class DataCache {
 public:
  /// Returns nothing for standard input, pipes and similar, without a folder, or if the options
  /// disable it. `labels_path`: the labels of a matrix, if they are in another file. Each of
  /// several ranks has a cache of its own part.
  static std::optional<DataCache> locate(const std::string& path, const DataOptions& options,
                                         const Vocabulary* known,
                                         const std::string& labels_path = {},
                                         const Communicator& ranks = {});

  const std::string& path() const { return cache_path_; }
  const std::string& folder() const { return folder_; }

  /// Returns nothing if there is no valid cache.
  std::optional<LoadedData> load(ThreadPool& pool) const;
  /// Failing to write a cache is not an error: only the next start is slower. Nothing is written if
  /// the source has changed since locate(). Both functions return what went wrong, or nothing.
  std::string store(const LoadedData& data, ThreadPool& pool) const;
  /// The same, a few blocks at a time; the blocks remain usable if it fails.
  std::string store(ParsedData& parsed, ThreadPool& pool) const;

 private:
  std::string write(const std::function<void(AtomicFile&, const CacheOrigin&)>& content) const;

  std::string source_path_;
  FileStamp source_;
  std::uint64_t key_ = 0;  // a hash of everything else that the content depends on
  std::string folder_;
  std::string cache_path_;
};

}  // namespace cane
