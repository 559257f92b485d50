// What trainings over the same data, or over parts of it, start from: its class counts, trees and
// class means. Each is computed once, when it is first asked for, and can be asked for by several
// threads at a time.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "cane/config.h"
#include "cane/dataset.h"
#include "core/base/thread_pool.h"
#include "core/tree/class_tree.h"
#include "methods/resolve.h"
#include "train/start/start_means.h"

namespace cane {

/// Counts the examples of each class. Throws Error if an example has no label.
std::vector<std::uint64_t> count_examples(const Dataset& data);

class StartSource {
 public:
  /// Throws Error if an example has no label.
  StartSource(const Dataset& data, std::uint64_t seed);

  const Dataset& data() const { return data_; }
  std::uint64_t seed() const { return seed_; }
  const std::vector<std::uint64_t>& class_counts() const { return class_counts_; }
  StartMeans& means() { return means_; }

  struct BuiltTree {
    ClassTree tree;
    double seconds = 0.0;
  };
  /// The tree that the options name. `config` must be resolved and use a tree.
  const BuiltTree& tree(const TrainConfig& config, ThreadPool& pool);

  /// Computes with all threads of the pool what a training with these options will ask for.
  void prepare(const TrainConfig& config, ThreadPool& pool);

 private:
  Dataset data_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> class_counts_;
  StartMeans means_;
  std::mutex mutex_;  // guards trees_
  std::map<std::pair<std::string, std::uint32_t>, BuiltTree> trees_;
};

}  // namespace cane
