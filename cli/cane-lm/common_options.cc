#include "cli/cane-lm/common_options.h"

#include <fmt/ranges.h>

#include <cstdio>
#include <type_traits>

namespace cane::lm {
namespace {

auto adder(cli::Options& options) {
  return [&options](const char* name, auto& value, const char* help) {
    using T = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_same_v<T, bool>) {
      options.flag(name, value, help);
    } else if constexpr (std::is_same_v<T, std::string>) {
      options.add(name, "NAME", value, help);
    } else {
      options.add(name, value, help);
    }
  };
}

}  // namespace

void add_model_options(cli::Options& options, ModelOptions& model) {
  options.group("Model");
  const auto add = adder(options);
  visit_model_options(model, [&](const char* name, auto& value, const char* help) {
    if (std::string_view(name) == "head") {
      add(name, value, fmt::format("{}: {}", help, fmt::join(head_names(), ", ")).c_str());
    } else {
      add(name, value, help);
    }
  });
}

void add_train_options(cli::Options& options, LmTrainOptions& train) {
  options.group("Training");
  visit_train_options(train, adder(options));
}

void add_vocabulary_options(cli::Options& options, VocabularyOptions& vocabulary) {
  options.group("Vocabulary");
  options.add("min-count", vocabulary.min_count, "words that come less often become <unk>");
  options.add("vocabulary", vocabulary.most_words,
              "the most frequent words, <unk> and <eos> among them; 0: all");
}

void add_reading_options(cli::Options& options, CorpusOptions& corpus) {
  options.group("Reading");
  options.flag_off("no-cache", corpus.use_cache, "read the text itself, and keep no cache");
  options.add("cache-dir", "DIR", corpus.cache_directory,
              "place of the cache (CANE_CACHE_DIR, else ~/.cache/cane)");
}

void add_run_options(cli::Options& options, RunOptions& run) {
  options.group("Running");
  options.add("device", "NAME", run.device, "auto, cpu, cuda or cuda:N");
  options.add("threads", run.threads, "of the CPU; 0: one for each core");
  options.flag("quiet", run.quiet, "no progress, no notes");
}

Note stderr_note(bool quiet) {
  return [quiet](const std::string& text) {
    if (!quiet) fmt::print(stderr, "{}\n", text);
  };
}

}  // namespace cane::lm
