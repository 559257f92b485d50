#include "engine/rank_training.h"

#include <fmt/format.h>

#include <vector>

#include "cane/error.h"
#include "cane/version.h"
#include "core/base/memory.h"
#include "methods/config_facts.h"
#include "train/checkpoint/checkpoint.h"
#include "train/parallel/weight_exchange.h"

namespace cane {
namespace {

// Whether each of the ranks of this machine can have the weights of all classes: their rows, and
// once more as the others know them; a selector, an optimiser and the data need memory, too, so
// that no more than half may be taken.
bool do_all_classes_fit(const TrainConfig& config, const Dataset& data, int ranks_here) {
  const std::uint64_t floats =
      data.classes() *
      (std::uint64_t{encoded_dimension(config, static_cast<FeatureId>(data.dimension()))} + 1);
  const std::uint64_t needed = floats * sizeof(float) + WeightExchange::bytes_for(floats);
  const std::uint64_t free = available_memory();
  return free == 0 || 2 * needed * static_cast<std::uint64_t>(ranks_here) <= free;
}

}  // namespace

void check_processors(Communicator& ranks) {
  const std::vector<Bytes> all = ranks.all_gather(bytes_of_text(instruction_set()));
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (all[rank] == all.front()) continue;
    throw Error(
        fmt::format("ranks train together on equal processors only: rank {} computes with {}, and "
                    "rank 0 with {}; start them on machines of one kind",
                    rank, text_of(all[rank]), text_of(all.front())));
  }
}

bool shares_classes(const TrainConfig& config, const Dataset& data, bool is_further,
                    Communicator& ranks) {
  if (config.parallel == ParallelKind::kClasses && is_further) {
    throw OptionError("parallel", "a finished model is not trained further by classes",
                      "use `parallel data`");
  }
  if (config.parallel != ParallelKind::kAuto) return config.parallel == ParallelKind::kClasses;
  if (is_further) return false;
  if (config.resume) return checkpoint_shards(config.checkpoint_path) > 0;
  if (ranks.is_alone()) return false;
  const bool fits = do_all_classes_fit(config, data, ranks.ranks_of_machine());
  return ranks.any(!fits);
}

}  // namespace cane
