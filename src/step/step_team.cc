#include "step/step_team.h"

#include <algorithm>
#include <vector>

#include "core/base/spinning.h"
#include "step/team_member.h"

namespace cane {
namespace {

// Fewer examples are not worth another thread to encode them.
constexpr std::size_t kExamplesOfMember = 16;

class Run {
 public:
  Run(const TeamParts& parts, TeamMemory& memory, const StepTeam::Calls& calls, std::uint64_t end,
      std::uint32_t epoch, std::size_t members)
      : parts_(parts),
        memory_(memory),
        calls_(calls),
        end_(end),
        encodes_(parts.encoder.encoder != nullptr),
        keeps_columns_(memory.maker.lists_all() && !encodes_),
        adds_directly_(TeamMember::adds_directly(parts, memory)),
        barrier_(static_cast<int>(members)) {
    members_.reserve(members);
    for (std::size_t index = 0; index < members; ++index) {
      members_.emplace_back(parts, memory, epoch, index, members);
    }
  }

  void work(std::size_t index, std::uint64_t first) {
    guarded([&] {
      members_[index].fill(first, calls_.batch(first));
      members_[index].draw(first);
    });
    barrier_.wait();
    if (index == 0) guarded([&] { members_[0].list(first, calls_.batch(first)); });
    barrier_.wait();
    for (std::uint64_t batch = first; !learn(index, batch); ++batch) {
    }
  }
  bool stops() const { return stops_; }

 private:
  // Returns whether it was the last batch.
  bool learn(std::size_t index, std::uint64_t batch) {
    TeamMember& member = members_[index];
    const auto examples = calls_.batch(batch);
    const float rate = calls_.rate(batch);
    const bool has_next = batch + 1 < end_;
    member.score(batch, examples);
    if (has_next) {
      member.draw(batch + 1);
      if (!encodes_) guarded([&] { member.fill(batch + 1, calls_.batch(batch + 1)); });
      if (keeps_columns_ && index == 0) member.list(batch + 1, calls_.batch(batch + 1));
    }
    bool& is_last = memory_.scored(batch).is_last;
    if (index == 0) {
      stops_ = !calls_.go_on() || memory_.failed;
      is_last = stops_ || !has_next;
    }
    barrier_.wait();
    if (memory_.rank_sums) {
      member.join_shards(batch, examples.size());
      barrier_.wait();
      if (index == 0) exchange([&] { exchange_sums(batch, has_next); });
      barrier_.wait();
      if (!is_exchanged_) return true;
    }
    member.differentiate(batch, examples,
                         adds_directly_ ? rate * *parts_.classes.rate_scale : 1.0F);
    if (encodes_) {
      barrier_.wait();
      member.find_input_steps(batch, examples.size());
      if (memory_.rank_sums) {
        barrier_.wait();
        if (index == 0) exchange([&] { exchange_input_steps(examples.size()); });
        barrier_.wait();
        if (!is_exchanged_) return true;
      }
      member.back(examples.size());
      barrier_.wait();
      member.update_encoder(members_, rate);
    }
    member.update_rows(batch, examples, rate);
    if (index == 0) guarded([&] { calls_.learned(member.stats(batch, examples)); });
    if (is_last) return true;
    if (keeps_columns_) return false;
    if (index == 0) member.list(batch + 1, calls_.batch(batch + 1));
    barrier_.wait();
    if (encodes_) {
      guarded([&] { member.fill(batch + 1, calls_.batch(batch + 1)); });
      barrier_.wait();
    }
    return false;
  }

  template <typename Body>
  void exchange(const Body& body) {
    is_exchanged_ = false;
    guarded([&] {
      body();
      is_exchanged_ = true;
    });
  }

  // A stop takes effect on all ranks after the same batch.
  void exchange_sums(std::uint64_t batch, bool has_next) {
    TeamMemory::Scored& scored = memory_.scored(batch);
    const ColumnSums entries = memory_.sums_of(batch, memory_.most_shares);
    std::copy_n(entries.largest, 3 * memory_.examples,
                memory_.rank_sums->own(parts_.part->own().count()).largest);
    stops_ = memory_.rank_sums->exchange(scored.label_scores.span(), stops_);
    scored.is_last = stops_ || !has_next;
  }

  void exchange_input_steps(std::size_t examples) {
    const std::size_t count = examples * memory_.pitch;
    memory_.all_input_steps =
        add_up_shards(*parts_.part, *parts_.ranks, count,
                      memory_.input_steps.span().first(parts_.part->own().count() * count));
  }

  // What one thread throws ends the work of all at the next batch.
  template <typename Body>
  void guarded(const Body& body) {
    try {
      body();
    } catch (...) {
      memory_.fail();
    }
  }

  const TeamParts& parts_;
  TeamMemory& memory_;
  const StepTeam::Calls& calls_;
  std::uint64_t end_;
  bool encodes_;
  bool keeps_columns_;  // a thread changes the rows that it reads next
  bool adds_directly_;
  std::vector<TeamMember> members_;
  SpinBarrier barrier_;
  bool stops_ = false;         // after this batch, on any rank
  bool is_exchanged_ = false;  // what the ranks had to tell each other
};

}  // namespace

bool StepTeam::run(std::uint32_t epoch, std::uint64_t first, std::uint64_t end, const Calls& calls,
                   ThreadPool& pool) {
  if (first >= end) return true;
  // They wait for each other all the time, so more than there are cores would only be slower.
  const auto threads = static_cast<std::size_t>(std::min(pool.threads(), available_cores()));
  const std::size_t most = std::max(
      memory_.most_shares,
      parts_.encoder.encoder == nullptr ? std::size_t{1} : memory_.examples / kExamplesOfMember);
  const std::size_t members = std::min(threads, most);
  memory_.failed = false;
  memory_.failure = nullptr;
  // Every task waits for the others, so each is taken by another thread, and the first one by the
  // caller.
  Run team(parts_, memory_, calls, end, epoch, members);
  pool.run(members, [&](std::size_t index, int) { team.work(index, first); });
  if (memory_.failure) std::rethrow_exception(memory_.failure);
  return !team.stops();
}

}  // namespace cane
