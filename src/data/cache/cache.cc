#include "data/cache/cache.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include "cane/error.h"
#include "core/file/cache_folder.h"
#include "core/file/cache_source.h"
#include "core/file/folder_files.h"
#include "data/cache/cache_reader.h"
#include "data/cache/cache_writer.h"
#include "data/vocabulary/feature_options.h"

namespace cane {
namespace {

// So that no two lists of texts look the same.
std::string with_length(const std::string& text) {
  return fmt::format("{}:{}", text.size(), text);
}

std::uint64_t key_of(const std::string& absolute_path, const DataOptions& options,
                     const Vocabulary* known) {
  const std::string text = fmt::format(
      "{} {} {} {} {} {} {} {}-{} {} {} {} {} {} {} {} {:x} {} {} {} {} {} {}",
      static_cast<int>(options.format), static_cast<int>(options.tokenizer),
      static_cast<int>(options.weights), static_cast<int>(options.normalize), options.min_count,
      options.hash_bits, options.word_ngrams, options.char_ngrams.min, options.char_ngrams.max,
      options.ngram_bits, ngram_count_of(options), static_cast<int>(options.on_error),
      static_cast<int>(multi_label_of(options, known)), options.require_labels, options.add_labels,
      options.every_row, known == nullptr ? 0 : fingerprint(*known),
      static_cast<int>(options.header), with_length(options.text_column),
      with_length(options.label_column), with_length(options.weight_column),
      with_length(options.features_columns), absolute_path);
  return XXH3_64bits(text.data(), text.size());
}

}  // namespace

std::optional<DataCache> DataCache::locate(const std::string& path, const DataOptions& options,
                                           const Vocabulary* known, const std::string& labels_path,
                                           const Communicator& ranks) {
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
  if (!labels_path.empty()) {
    const FileStamp labels = stamp_of(labels_path).value_or(FileStamp{});
    const std::string text = fmt::format("{} {}", stamp_text(labels), labels_path);
    cache.key_ = XXH3_64bits_withSeed(text.data(), text.size(), cache.key_);
  }
  if (!ranks.is_alone()) {
    const std::string text = fmt::format("rank {} of {}", ranks.rank(), ranks.ranks());
    cache.key_ = XXH3_64bits_withSeed(text.data(), text.size(), cache.key_);
  }
  cache.cache_path_ = fmt::format("{}/{}-{:016x}{}", cache.folder_, last_name(absolute.string()),
                                  cache.key_, kDataCacheEnding);
  return cache;
}

std::optional<LoadedData> DataCache::load(ThreadPool& pool) const {
  try {
    auto file = std::make_shared<const MappedFile>(cache_path_, MappedFile::Trust::kOwn);
    std::optional<LoadedData> data = read_cache_file(std::move(file), {key_, source_}, pool);
    if (data) mark_used(cache_path_);
    return data;
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::string DataCache::write(
    const std::function<void(AtomicFile&, const CacheOrigin&)>& content) const {
  try {
    const std::uint64_t limit = cache_limit();
    make_cache_folder(folder_);
    AtomicFile file(cache_path_, mode_of_cache(source_path_));
    content(file, {key_, source_});
    if (stamp_of(source_path_) != source_) return "the file has changed meanwhile";
    file.commit();
    trim_caches(folder_, limit, cache_path_);
  } catch (const std::exception& error) {
    return error.what();
  }
  return {};
}

std::string DataCache::store(const LoadedData& data, ThreadPool& pool) const {
  return write([&](AtomicFile& file, const CacheOrigin& origin) {
    const DatasetView& rows = data.view;
    CacheWriter writer(file,
                       {.is_dense = rows.is_dense(),
                        .has_weights = rows.has_weights(),
                        .dimension = rows.dimension(),
                        .num_examples = rows.size(),
                        .num_values = rows.stored_values()},
                       pool);
    writer.append(rows);
    writer.finish(origin, data);
  });
}

std::string DataCache::store(ParsedData& parsed, ThreadPool& pool) const {
  const ReadReport before = parsed.data.report;
  const std::string problem = write([&](AtomicFile& file, const CacheOrigin& origin) {
    CacheWriter writer(file,
                       {.is_dense = parsed.is_dense,
                        .has_weights = parsed.has_weights,
                        .dimension = parsed.data.vocabulary.dimension,
                        .num_examples = parsed.num_examples,
                        .num_values = parsed.num_values},
                       pool);
    const std::size_t blocks_at_once = 2 * static_cast<std::size_t>(pool.threads());
    for (std::size_t begin = 0; begin < parsed.blocks.size(); begin += blocks_at_once) {
      const std::size_t end = std::min(begin + blocks_at_once, parsed.blocks.size());
      writer.append(parsed.assemble_blocks(begin, end, pool).view);
    }
    writer.finish(origin, parsed.data);
  });
  if (!problem.empty()) {
    parsed.data.report = before;
    parsed.data.gaps.clear();
    parsed.num_assembled = 0;
  }
  return problem;
}

}  // namespace cane
