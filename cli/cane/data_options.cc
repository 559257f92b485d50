#include "cli/cane/data_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "cane/error.h"
#include "core/base/stopwatch.h"

namespace cane::cli {
namespace {

std::string source_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

// "3-5", "4" for 4-4, or "none".
Value char_ngrams_value(CharNgrams& lengths) {
  return {[&lengths](const std::string& typed) {
            if (typed == "none") {
              lengths = {};
              return;
            }
            const std::size_t dash = std::min(typed.find('-'), typed.size());
            const auto length = [](const std::string& text) {
              return parse_number<std::uint32_t>("--char-ngrams", text);
            };
            lengths.min = length(typed.substr(0, dash));
            lengths.max = dash == typed.size() ? lengths.min : length(typed.substr(dash + 1));
            if (lengths.min == 0) {
              throw Error("--char-ngrams: lengths must be above 0, as in 3-5; or none");
            }
          },
          [&lengths] {
            return lengths == CharNgrams{} ? "none"
                                           : fmt::format("{}-{}", lengths.min, lengths.max);
          }};
}

}  // namespace

void add_reading_options(Options& options, DataOptions& data) {
  options.group("Reading");
  options.add("format", data.format, "format of the data");
  options.add("labels", "FILE", data.labels_path,
              "labels of a NumPy matrix (X_a.npy finds y_a.npy)");
  options.add("on-error", data.on_error, "at a line that cannot be read");
  options.add("multi-label", data.multi_label, "for an example with several labels");
  options.add("cache", "DIR", data.cache_directory,
              "keep parsed files here (CANE_CACHE_DIR, ~/.cache/cane)");
  options.flag_off("no-cache", data.use_cache, "parse the file anew, and keep nothing");
}

void add_feature_options(Options& options, DataOptions& data) {
  options.add("normalize", data.normalize,
              "l2: scale every example to length one; the default with an encoder");
  options.add("min-count", data.min_count, "leave out words seen less often");
  options.add("hash-bits", data.hash_bits, "hash words to 2^N features; 0: a dictionary");
  options.add("word-ngrams", data.word_ngrams, "runs of up to N words are features, too");
  options.add("char-ngrams", "MIN-MAX|none", char_ngrams_value(data.char_ngrams),
              "so are runs of so many characters within a word, its ends marked");
  options.add("ngram-bits", data.ngram_bits,
              fmt::format("hash n-grams to 2^N features beside the dictionary; 0: {}",
                          DataOptions::kNgramBits));
}

std::string describe_reading(const std::string& path, const Dataset& data, double seconds) {
  return fmt::format(
      "{}: {} examples, {} classes, {} features, {} {}", source_name(path), count_text(data.size()),
      count_text(data.classes()), count_text(data.dimension()),
      data.report().from_cache ? "from the cache in" : "read in", seconds_text(seconds));
}

Dataset load_and_report(const std::string& path, bool quiet, const std::function<Dataset()>& load) {
  const Stopwatch watch;
  Dataset data = load();
  if (!quiet) {
    fmt::print(stderr, "{}\n", describe_reading(path, data, watch.seconds()));
    if (!data.report().cache_problem.empty()) {
      fmt::print(stderr, "{}: not kept in the cache, the next start reads it again: {}\n",
                 source_name(path), data.report().cache_problem);
    }
    warn_about_skipped(path, data);
    warn_about_unseen(path, data);
  }
  return data;
}

void warn_about_skipped(const std::string& path, const Dataset& data) {
  const ReadReport& report = data.report();
  if (report.skipped_lines == 0) return;
  fmt::print(stderr, "{}: {} lines skipped, the first: {}\n", source_name(path),
             count_text(report.skipped_lines), report.first_skipped);
}

void warn_about_unseen(const std::string& path, const Dataset& data) {
  const ReadReport& report = data.report();
  if (report.empty_examples > 0) {
    fmt::print(stderr, "{}: {} examples have no feature that is known; all of them look the same\n",
               source_name(path), count_text(report.empty_examples));
  }
  if (report.unseen_labels == 0) return;
  fmt::print(stderr,
             "{}: {} examples have labels that training never saw, counted as errors; the first: "
             "{}\n",
             source_name(path), count_text(report.unseen_labels),
             fmt::join(report.unseen_label_names, ", "));
}

}  // namespace cane::cli
