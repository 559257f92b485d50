#include "train/classes/shard_message.h"

#include <utility>

namespace cane {

bool ShardReports::gather(Communicator& ranks, std::uint32_t shards, std::size_t examples,
                          bool wants_stop, std::span<const ShardHead> heads,
                          std::span<const ListedClass> listed) {
  shards_ = shards;
  examples_ = examples;
  heads_.clear();
  listed_.clear();
  Bytes message;
  pack_value(std::uint64_t{wants_stop ? 1U : 0U}, message);
  pack_value(static_cast<std::uint64_t>(heads.size()), message);
  pack_values(heads, message);
  pack_values(listed, message);
  bool stops = false;
  for (const Bytes& bytes : ranks.all_gather(std::move(message))) {
    Unpacking rest(bytes);
    stops = rest.value<std::uint64_t>() != 0 || stops;
    rest.append(static_cast<std::size_t>(rest.value<std::uint64_t>()), heads_);
    rest.append(rest.size() / sizeof(ListedClass), listed_);
  }
  if (heads_.size() != shards * examples) throw_misunderstood();
  starts_.clear();
  std::size_t start = 0;
  for (const ShardHead& head : heads_) {
    starts_.push_back(start);
    start += head.listed;
  }
  if (start != listed_.size()) throw_misunderstood();
  return stops;
}

}  // namespace cane
