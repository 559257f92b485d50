// Options that several verbs share.
#pragma once

#include <string>

#include "app/options.h"
#include "cane/data_options.h"
#include "lm/engine/device.h"
#include "lm/engine/options.h"
#include "lm/text/corpus.h"

namespace cane::lm {

struct RunOptions {
  std::string device = "auto";
  int threads = 0;
  bool quiet = false;
};

inline constexpr const char* kVocabularyGroup = "Vocabulary";
inline constexpr const char* kReadingGroup = "Reading";
inline constexpr const char* kRunningGroup = "Running";

template <MaybeConst<CorpusOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit(Field("min_count", kVocabularyGroup, "words that come less often become <unk>"),
        options.vocabulary.min_count);
  visit(Field("vocabulary", kVocabularyGroup,
              "the most frequent words, <unk> and <eos> among them; 0: all"),
        options.vocabulary.most_words);
  visit(
      Field(
          "tokens", kReadingGroup,
          "train on this many words from the beginning of the text; the vocabulary comes from all "
          "of it; 0: all"),
      options.tokens);
  visit(Field("measured_tokens", kReadingGroup, "the same for a text that is measured; 0: all"),
        options.measured_tokens);
  visit(Field("cache_directory", kReadingGroup,
              "keep parsed texts here (CANE_CACHE_DIR, ~/.cache/cane)")
            .takes("DIR")
            .spelled("cache", "cache-dir"),
        options.cache_directory);
  visit(Field("use_cache", kReadingGroup, "parse the text again, and keep nothing")
            .turned_off_by("no-cache"),
        options.use_cache);
}

template <MaybeConst<RunOptions> Options, typename Visit>
void visit_fields(Options& options, const Visit& visit) {
  visit(Field("device", kRunningGroup, "where it is computed").takes("auto|cpu|cuda|cuda:N"),
        options.device);
  visit(Field("threads", kRunningGroup, "of the CPU; 0: one for each core",
              from_to(0, DataOptions::kMaxThreads)),
        options.threads);
  visit(Field("quiet", kRunningGroup, "no progress, no notes"), options.quiet);
}

/// The model that a verb reads; what it keeps from its training is refused with a message that says
/// so.
void add_trained_model(cli::Options& options, std::string& path);
void add_model_options(cli::Options& options, ModelOptions& model);
void add_train_options(cli::Options& options, LmTrainOptions& train);
void add_vocabulary_options(cli::Options& options, CorpusOptions& corpus);
void add_reading_options(cli::Options& options, CorpusOptions& corpus);
void add_run_options(cli::Options& options, RunOptions& run);

/// Writes notes to stderr unless `quiet`.
Note stderr_note(bool quiet);

}  // namespace cane::lm
