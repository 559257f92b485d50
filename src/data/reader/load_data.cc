#include "data/reader/load_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/bad_line.h"
#include "core/base/field_text.h"
#include "core/base/memory.h"
#include "core/file/file_kind.h"
#include "core/file/folder_files.h"
#include "core/file/output_target.h"
#include "core/parallel/packing.h"
#include "core/parallel/run_context.h"
#include "data/cache/cache.h"
#include "data/matrix/matrix.h"
#include "data/reader/text_file.h"
#include "data/vocabulary/feature_options.h"
#include "data/vocabulary/name_maps.h"

namespace cane {

namespace {

// With a cache the arrays are never all in memory. If the cache fails, they are.
LoadedData load_large(ParsedData parsed, const DataCache& cache, bool keeps, ThreadPool& pool) {
  std::string problem = parsed.blocks.problem();
  if (problem.empty()) problem = cache.store(parsed, pool);
  if (problem.empty()) {
    std::optional<LoadedData> data = cache.load(pool);
    // What is mapped stays until it is released.
    if (!keeps) remove_output(cache.path());
    if (data) {
      data->report.from_cache = false;
      return std::move(*data);
    }
    problem = cache.path() + ": the file disappeared while it was read";
  }
  const std::uint64_t available = available_memory();
  if (available > 0 && parsed.blocks.bytes() > available) {
    throw Error(fmt::format(
        "the parsed text takes {}, more than the {} of memory that are free, and it "
        "cannot be cached ({}); make room there, or choose a folder with `cache_directory`",
        bytes_as_text(parsed.blocks.bytes()), bytes_as_text(available), problem));
  }
  parsed.data.report.cache_problem = std::move(problem);
  return assemble(std::move(parsed), pool);
}

// A cache helps only if every rank has its own: otherwise names are learned again, by all.
std::optional<LoadedData> load_cached(const std::optional<DataCache>& cache,
                                      const RunContext& run) {
  Communicator& ranks = run.ranks();
  std::optional<LoadedData> data;
  if (cache) data = cache->load(run.pool());
  if (ranks.sum(data ? 1 : 0) < ranks.ranks()) return std::nullopt;
  // A rank may have no example, but not all of them.
  if (ranks.sum(std::uint64_t{data->view.size()}) == 0) return std::nullopt;
  return data;
}

LoadedData load_any(const std::string& path, const DataOptions& options, const Vocabulary* known,
                    const RunContext& run) {
  const bool reads_matrix = is_matrix(path, options);
  std::string labels_path;
  if (reads_matrix) {
    if (path == "-") {
      throw Error("standard input: NumPy files are mapped into memory; give the file's name");
    }
    check_table_options(path, false, options, known);
    if (is_mapped_matrix(path)) return load_mapped_matrix(path, options, known, run);
    std::string tried;
    labels_path = find_label_file(path, options.labels_path, tried);
  } else {
    check_is_no_matrix(source_name(path), options);
  }
  std::optional<DataCache> cache;
  if (options.keep_columns.empty()) {
    cache = DataCache::locate(path, options, known, labels_path, run.ranks());
  }
  if (std::optional<LoadedData> data = load_cached(cache, run)) return std::move(*data);
  StoreLimits limits = cache ? default_store_limits(cache->folder()) : StoreLimits{};
  ParsedData parsed = reads_matrix ? parse_matrix(path, options, known, run, std::move(limits))
                                   : parse_text_file(path, options, known, run, std::move(limits));
  if (parsed.blocks.is_on_disk()) {
    return load_large(std::move(parsed), *cache, options.write_cache, run.pool());
  }
  LoadedData data = assemble(std::move(parsed), run.pool());
  if (cache && options.write_cache) data.report.cache_problem = cache->store(data, run.pool());
  return data;
}

// Those of lower ranks first, each once, up to so many.
std::vector<std::string> first_texts(Communicator& ranks, const std::vector<std::string>& own,
                                     std::size_t most) {
  Bytes packed;
  for (const std::string& text : own) pack_text(text, packed);
  std::vector<std::string> texts;
  for (const Bytes& part : ranks.all_gather(std::move(packed))) {
    for_each_text(part, [&](std::string_view text) {
      if (texts.size() == most || std::find(texts.begin(), texts.end(), text) != texts.end())
        return;
      texts.emplace_back(text);
    });
  }
  return texts;
}

std::string first_text(Communicator& ranks, const std::string& own) {
  std::vector<std::string> texts;
  if (!own.empty()) texts.push_back(own);
  const std::vector<std::string> first = first_texts(ranks, texts, 1);
  return first.empty() ? std::string() : first.front();
}

// What the ranks found, as one reader of the whole data would say it: counts are added, and fields
// that quote an example keep the first in file order. Notes and where the data came from stay.
void merge_reports(Communicator& ranks, ReadReport& report) {
  if (ranks.is_alone()) return;
  std::array<std::uint64_t, 4> counts = {report.skipped_lines, report.unseen_labels,
                                         report.ignored_features, report.empty_examples};
  ranks.sum(std::span<std::uint64_t>(counts));
  report.skipped_lines = counts[0];
  report.unseen_labels = counts[1];
  report.ignored_features = counts[2];
  report.empty_examples = counts[3];
  report.first_skipped = first_text(ranks, report.first_skipped);
  report.cache_problem = first_text(ranks, report.cache_problem);
  report.unseen_label_names = first_texts(ranks, report.unseen_label_names, kUnseenNames);
}

std::uint64_t examples_before(std::uint64_t examples, Communicator& ranks) {
  const std::vector<std::uint64_t> sizes = ranks.all_gather_value(examples);
  return std::accumulate(sizes.begin(), sizes.begin() + ranks.rank(), std::uint64_t{0});
}

void warn_of_single_examples(LoadedData& data, Communicator& ranks) {
  const std::vector<std::string>& labels = data.vocabulary.labels;
  std::vector<std::uint32_t> counts(labels.size());
  for (const ClassId label : data.view.labels()) {
    if (label != kUnknownClass) ++counts[label];
  }
  ranks.sum(std::span(counts));
  const auto single = std::ranges::count(counts, 1U);
  if (single == 0) return;
  const auto first = std::ranges::find(counts, 1U) - counts.begin();
  data.report.warnings.push_back(fmt::format("{} of {} labels occur once, the first: {}", single,
                                             labels.size(),
                                             in_quotes(labels[static_cast<std::size_t>(first)])));
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

LoadedData load_data(const std::string& path, const DataOptions& options, const Vocabulary* known,
                     const Context& context) {
  check_fields(options);
  if (!options.use_cache && !options.cache_directory.empty()) {
    throw OptionError("cache_directory", "`use_cache` says to keep nothing",
                      "leave one of them out");
  }
  check_is_data(path);
  ThreadPool pool(options.threads);
  const RunContext run(pool, context);
  LoadedData data = load_any(path, options, known, run);
  data.report.empty_examples = options.every_row ? static_cast<std::uint64_t>(std::ranges::count(
                                                       data.gaps, GapKind::kEmpty, &RowGap::kind))
                                                 : data.view.empty_rows();
  if (known == nullptr) warn_of_single_examples(data, run.ranks());
  data.first_example = examples_before(data.view.size(), run.ranks());
  merge_reports(run.ranks(), data.report);
  data.files = files_of_data(path, options);
  return_freed_memory();
  return data;
}

}  // namespace cane
