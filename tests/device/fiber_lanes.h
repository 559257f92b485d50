// Several lanes on the host, as the threads of a block are on a GPU, but one after the other: each
// lane runs until it needs the others. Lanes take turns forward or backward, so that a value that
// is read before the lanes have waited for each other differs between the two; a lane that waits
// for one that is done, which would stop a GPU, throws.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <vector>

#include "device/host_backend.h"

namespace cane::testing {

class FiberTeam {
 public:
  FiberTeam(std::uint32_t lanes, bool is_backward)
      : is_backward_(is_backward), fibers_(lanes), floats_(2 * lanes), waits_(lanes) {
    for (Fiber& fiber : fibers_) fiber.stack.resize(kStack);
  }

  /// Runs body(lane) on every lane.
  void run(const std::function<void(std::uint32_t)>& body) {
    body_ = &body;
    std::fill(waits_.begin(), waits_.end(), 0U);
    for (std::uint32_t lane = 0; lane < fibers_.size(); ++lane) {
      Fiber& fiber = fibers_[lane];
      fiber.is_done = false;
      getcontext(&fiber.context);
      fiber.context.uc_stack.ss_sp = fiber.stack.data();
      fiber.context.uc_stack.ss_size = fiber.stack.size();
      fiber.context.uc_link = &scheduler_;
      const auto address = reinterpret_cast<std::uintptr_t>(this);
      makecontext(&fiber.context, reinterpret_cast<void (*)()>(&FiberTeam::start), 3,
                  static_cast<unsigned>(address), static_cast<unsigned>(address >> 32), lane);
    }
    while (!fibers_[0].is_done) {
      for (std::uint32_t i = 0; i < fibers_.size(); ++i) {
        const auto last = static_cast<std::uint32_t>(fibers_.size()) - 1;
        lane_ = is_backward_ ? last - i : i;
        swapcontext(&scheduler_, &fibers_[lane_].context);
      }
      for (const Fiber& fiber : fibers_) {
        if (fiber.is_done != fibers_[0].is_done) throw std::logic_error("lanes went apart");
      }
    }
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(fibers_.size()); }

  /// Waits for all lanes; returns the value of each.
  const float* exchange(std::uint32_t lane, float value) {
    float* values = floats_.data() + (waits_[lane]++ % 2) * fibers_.size();
    values[lane] = value;
    swapcontext(&fibers_[lane].context, &scheduler_);
    return values;
  }

 private:
  static constexpr std::size_t kStack = 64 << 10;
  struct Fiber {
    ucontext_t context;
    std::vector<char> stack;
    bool is_done = false;
  };

  static void start(unsigned low, unsigned high, unsigned lane) {
    auto* team = reinterpret_cast<FiberTeam*>((static_cast<std::uintptr_t>(high) << 32) | low);
    (*team->body_)(lane);
    team->fibers_[lane].is_done = true;
  }

  bool is_backward_;
  std::vector<Fiber> fibers_;
  std::vector<float> floats_;  // of two exchanges in turn
  std::vector<std::uint32_t> waits_;
  ucontext_t scheduler_;
  std::uint32_t lane_ = 0;
  const std::function<void(std::uint32_t)>* body_ = nullptr;
};

struct FiberLanes {
  FiberTeam* team;
  std::uint32_t lane;

  std::uint32_t from(std::uint32_t begin) const {
    return begin + (lane + team->size() - begin % team->size()) % team->size();
  }
  std::uint32_t stride() const { return team->size(); }
  bool owns(std::uint32_t place) const { return place % team->size() == lane; }
  void sync() const { team->exchange(lane, 0.0F); }
  float sum(float value) const {
    const float* values = team->exchange(lane, value);
    float all = 0.0F;
    for (std::uint32_t i = 0; i < team->size(); ++i) all += values[i];
    return all;
  }
  float max(float value) const {
    const float* values = team->exchange(lane, value);
    return *std::max_element(values, values + team->size());
  }
};

/// The host's backend with several lanes for each item.
class FiberBackend : public device::HostBackend {
 public:
  FiberBackend(std::uint32_t lanes, bool is_backward) : team_(lanes, is_backward) {}

  template <std::uint32_t kLanes, typename Functor>
  void launch(std::uint64_t items, const Functor& functor) {
    for (std::uint64_t item = 0; item < items; ++item) {
      team_.run([&](std::uint32_t lane) {
        functor(static_cast<std::int64_t>(item), FiberLanes{&team_, lane});
      });
    }
  }

 private:
  FiberTeam team_;
};

}  // namespace cane::testing
