#include <fmt/format.h>

#include <optional>
#include <utility>

#include "cane/error.h"
#include "data/cache.h"
#include "data/loaded_data.h"
#include "data/npy_array.h"
#include "data/npy_loader.h"
#include "data/text_loader.h"

namespace cane {

LoadedData load_data(const std::string& path, const DataOptions& options, const Vocabulary* known) {
  ThreadPool pool(options.threads);
  if (options.format == Format::kNpy || (options.format == Format::kAuto && is_npy(path))) {
    if (path == "-") {
      throw Error("standard input: NumPy files are mapped into memory; give the file's name");
    }
    return load_npy(path, options, known, pool);
  }
  if (!options.labels_path.empty()) {
    throw Error(fmt::format("{}: --labels is for NumPy matrices, but this is text; leave it out",
                            source_name(path)));
  }
  const std::optional<DataCache> cache = DataCache::locate(path, options, known);
  if (cache) {
    if (std::optional<LoadedData> data = cache->load(pool)) return std::move(*data);
  }
  LoadedText text = load_text(path, options, known, pool);
  if (cache) cache->store(text, pool);
  return std::move(text.data);
}

}  // namespace cane
