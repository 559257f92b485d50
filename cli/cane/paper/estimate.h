// What the runs of the plan are expected to cost. Work is counted from the options and the shape of
// the data (methods/step_work.h) and turned into seconds by the speed of one machine, so that a run
// may well take half as long or twice as long.
#pragma once

#include <cstdint>
#include <string>

#include "cli/cane/paper/data_sets.h"

namespace cane::cli::paper {

struct Expected {
  double seconds = 0.0;
  std::uint64_t bytes = 0;  // of memory
};

/// One method of `cane compare`, measured on the test data after every epoch.
Expected expect_compare(const FoundSet& set, const std::string& spec, std::uint32_t epochs,
                        double limit, int threads);
/// `cane tune --protocol paper` of one method.
Expected expect_tune(const FoundSet& set, const std::string& spec, int threads);
/// One head of `cane-lm compare` over so many tokens in all; on a GPU or on this many threads.
Expected expect_head(const std::string& spec, double words, double trained_tokens,
                     double measured_tokens, bool on_gpu, int threads);

}  // namespace cane::cli::paper
