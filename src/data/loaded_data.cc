#include "data/loaded_data.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "core/base/memory.h"
#include "core/file/file_kind.h"
#include "core/file/folder_files.h"
#include "data/cache/cache.h"
#include "data/merge_reports.h"
#include "data/npy/npy.h"
#include "data/text/feature_options.h"
#include "data/text/text_loader.h"

namespace cane {

namespace {

// With a cache the arrays are never all in memory. If the cache fails, they are.
LoadedData load_large(ParsedText text, const DataCache& cache, ThreadPool& pool) {
  std::string problem = text.blocks.problem();
  if (problem.empty()) problem = cache.store(text, pool);
  if (problem.empty()) {
    if (std::optional<LoadedData> data = cache.load(pool)) {
      data->report.from_cache = false;
      return std::move(*data);
    }
    problem = cache.path() + ": it has vanished";
  }
  const std::uint64_t available = available_memory();
  if (available > 0 && text.blocks.bytes() > available) {
    throw Error(fmt::format(
        "the parsed text takes {}, more than the {} of memory that are free, and it "
        "cannot be cached ({}); make room there, or choose a folder with `cache_directory`",
        bytes_as_text(text.blocks.bytes()), bytes_as_text(available), problem));
  }
  text.report.cache_problem = std::move(problem);
  return assemble(std::move(text), pool);
}

// A cache helps only if every rank has its own: otherwise names are learned again, by all.
std::optional<LoadedData> load_cached(const std::optional<DataCache>& cache, ThreadPool& pool,
                                      Communicator& ranks) {
  std::optional<LoadedData> data;
  if (cache) data = cache->load(pool);
  if (ranks.sum(data ? 1 : 0) < ranks.ranks()) return std::nullopt;
  // A rank may have no example, but not all of them.
  if (ranks.sum(std::uint64_t{data->view.size()}) == 0) return std::nullopt;
  return data;
}

LoadedData load_any(const std::string& path, const DataOptions& options, const Vocabulary* known,
                    Communicator& ranks) {
  ThreadPool pool(options.threads);
  const bool reads_matrix = is_matrix(path, options);
  std::string labels_path;
  if (reads_matrix) {
    if (path == "-") {
      throw Error("standard input: NumPy files are mapped into memory; give the file's name");
    }
    if (is_mapped_matrix(path)) return load_npy(path, options, known, pool, ranks);
    std::string tried;
    labels_path = find_label_file(path, options.labels_path, tried);
  } else {
    check_is_no_matrix(source_name(path), options);
  }
  const std::optional<DataCache> cache =
      DataCache::locate(path, options, known, labels_path, ranks);
  if (std::optional<LoadedData> data = load_cached(cache, pool, ranks)) return std::move(*data);
  const bool keeps = cache && options.write_cache;
  StoreLimits limits = keeps ? default_store_limits(cache->folder()) : StoreLimits{};
  ParsedText parsed = reads_matrix
                          ? parse_matrix(path, options, known, pool, std::move(limits), ranks)
                          : parse_text(path, options, known, pool, std::move(limits), {}, ranks);
  if (parsed.blocks.is_on_disk()) return load_large(std::move(parsed), *cache, pool);
  LoadedData data = assemble(std::move(parsed), pool);
  if (keeps) data.report.cache_problem = cache->store(data, pool);
  return data;
}

}  // namespace

bool is_matrix(const std::string& path, const DataOptions& options) {
  return options.format == Format::kNpy || (options.format == Format::kAuto && is_numpy_file(path));
}

std::vector<std::string> files_of_data(const std::string& path, const DataOptions& options) {
  std::vector<std::string> files = {path};
  if (is_folder(path)) {
    const std::vector<std::string> members = files_of_folder(path);
    files.insert(files.end(), members.begin(), members.end());
  } else if (is_matrix(path, options)) {
    std::string tried;
    files.push_back(find_label_file(path, options.labels_path, tried));
    if (files.back().empty()) files.pop_back();
  }
  return files;
}

LoadedData load_data(const std::string& path, const DataOptions& options, const Vocabulary* known) {
  Communicator alone;
  return load_data(path, options, known, alone);
}

LoadedData load_data(const std::string& path, const DataOptions& options, const Vocabulary* known,
                     Communicator& ranks) {
  check_fields(options);
  check_cache_options(options);
  check_is_data(path);
  LoadedData data = load_any(path, options, known, ranks);
  data.report.empty_examples = data.view.empty_rows();
  if (!ranks.is_alone()) merge_reports(ranks, data.report);
  data.files = files_of_data(path, options);
  return_freed_memory();
  return data;
}

}  // namespace cane
