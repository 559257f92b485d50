#include "data/cache/cache.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cane/error.h"
#include "core/file/cache_source.h"
#include "data/cache/cache_writer.h"

namespace cane {
namespace {

std::uint64_t key_of(const std::string& absolute_path, const DataOptions& options,
                     const Vocabulary* known) {
  const std::string text =
      fmt::format("{} {} {} {} {} {}-{} {} {} {} {} {} {:x} {}", static_cast<int>(options.format),
                  static_cast<int>(options.normalize), options.min_count, options.hash_bits,
                  options.word_ngrams, options.char_ngrams.min, options.char_ngrams.max,
                  options.ngram_bits, static_cast<int>(options.on_error),
                  static_cast<int>(options.multi_label), options.require_labels, options.add_labels,
                  known == nullptr ? 0 : fingerprint(*known), absolute_path);
  return XXH3_64bits(text.data(), text.size());
}

}  // namespace

std::optional<DataCache> DataCache::locate(const std::string& path, const DataOptions& options,
                                           const Vocabulary* known) {
  if (!options.use_cache || path == "-") return std::nullopt;
  const std::optional<FileStamp> source = stamp_of(path);
  DataCache cache;
  cache.folder_ = cache_folder(options.cache_directory);
  std::error_code problem;
  const auto absolute = std::filesystem::absolute(path, problem).lexically_normal();
  if (!source || cache.folder_.empty() || problem) return std::nullopt;
  cache.source_path_ = path;
  cache.source_ = *source;
  cache.key_ = key_of(absolute.string(), options, known);
  cache.cache_path_ = fmt::format("{}/{}-{:016x}.cane-cache", cache.folder_,
                                  absolute.filename().string(), cache.key_);
  return cache;
}

std::optional<LoadedData> DataCache::load(ThreadPool& pool) const {
  try {
    return read_cache_file(cache_path_, {key_, source_.bytes, source_.time}, pool);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string DataCache::write(
    const std::function<void(AtomicFile&, const CacheOrigin&)>& content) const {
  try {
    std::filesystem::create_directories(folder_);
    AtomicFile file(cache_path_);
    content(file, {key_, source_.bytes, source_.time});
    if (stamp_of(source_path_) != source_) return "the file has changed meanwhile";
    file.commit();
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

std::string DataCache::store(const LoadedText& text, ThreadPool& pool) const {
  return write([&](AtomicFile& file, const CacheOrigin& origin) {
    const Columns& columns = text.columns;
    CacheWriter writer(file,
                       {columns.dense, !columns.weights.empty(), columns.dimension,
                        columns.classes.size(), columns.values.size()},
                       pool);
    writer.append(columns);
    writer.finish(origin, text.data.vocabulary, text.data.report);
  });
}

std::string DataCache::store(ParsedText& text, ThreadPool& pool) const {
  const ReadReport before = text.report;
  const std::string problem = write([&](AtomicFile& file, const CacheOrigin& origin) {
    CacheWriter writer(
        file, {text.dense, text.weighted, text.vocabulary.dimension, text.examples, text.values},
        pool);
    const std::size_t blocks_at_once = 2 * static_cast<std::size_t>(pool.threads());
    for (std::size_t begin = 0; begin < text.blocks.size(); begin += blocks_at_once) {
      const std::size_t end = std::min(begin + blocks_at_once, text.blocks.size());
      writer.append(text.assemble_some(begin, end, pool).columns);
    }
    writer.finish(origin, text.vocabulary, text.report);
  });
  if (!problem.empty()) text.report = before;
  return problem;
}

}  // namespace cane
