#include "train/classes/shard_message.h"

#include <cstring>
#include <utility>

namespace cane {
namespace {

[[noreturn]] void throw_misunderstood() {
  throw Error("the ranks do not understand each other; run the same program on all of them");
}

template <typename Value>
void append(std::span<const Value> values, Bytes& bytes) {
  const auto added = std::as_bytes(values);
  bytes.insert(bytes.end(), added.begin(), added.end());
}

/// Takes so many values off the front.
template <typename Value>
void take(std::span<const std::byte>& bytes, std::size_t count, std::vector<Value>& values) {
  const std::size_t before = values.size();
  if (bytes.size() < count * sizeof(Value)) throw_misunderstood();
  values.resize(before + count);
  if (count > 0) std::memcpy(values.data() + before, bytes.data(), count * sizeof(Value));
  bytes = bytes.subspan(count * sizeof(Value));
}

}  // namespace

bool ShardReports::gather(Communicator& ranks, std::uint32_t shards, std::size_t examples,
                          bool wishes_to_stop, std::span<const ShardHead> heads,
                          std::span<const ListedClass> listed) {
  shards_ = shards;
  examples_ = examples;
  heads_.clear();
  listed_.clear();
  Bytes message;
  const std::uint64_t begin[] = {wishes_to_stop ? 1U : 0U, heads.size()};
  append(std::span<const std::uint64_t>(begin), message);
  append(heads, message);
  append(listed, message);
  bool stops = false;
  std::vector<std::uint64_t> front;
  for (const Bytes& bytes : ranks.all_gather(std::move(message))) {
    std::span<const std::byte> rest(bytes);
    front.clear();
    take(rest, 2, front);
    stops = stops || front[0] != 0;
    take(rest, front[1], heads_);
    take(rest, rest.size() / sizeof(ListedClass), listed_);
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
