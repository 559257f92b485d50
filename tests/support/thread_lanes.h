// Lanes that are threads and meet at barriers, as those of a GPU do (core/objective/lanes.h).
#pragma once

#include <algorithm>
#include <barrier>
#include <cstdint>
#include <thread>
#include <vector>

namespace cane {

struct Meeting {
  explicit Meeting(std::uint32_t lanes) : values(lanes), barrier(lanes) {}
  std::vector<float> values;
  std::barrier<> barrier;
};

struct ThreadLanes {
  std::uint32_t lane;
  std::uint32_t lanes;
  Meeting* meeting;

  std::uint32_t from(std::uint32_t begin) const {
    return begin + (lane + lanes - begin % lanes) % lanes;
  }
  std::uint32_t stride() const { return lanes; }
  bool owns(std::uint32_t place) const { return place % lanes == lane; }
  float sum(float value) const {
    return meet(value, [](float a, float b) { return a + b; });
  }
  float max(float value) const {
    return meet(value, [](float a, float b) { return std::max(a, b); });
  }
  std::uint32_t max(std::uint32_t value) const {
    return static_cast<std::uint32_t>(max(static_cast<float>(value)));
  }
  template <typename Combine>
  float meet(float value, const Combine& combine) const {
    meeting->values[lane] = value;
    meeting->barrier.arrive_and_wait();
    float all = meeting->values[0];
    for (std::uint32_t i = 1; i < lanes; ++i) all = combine(all, meeting->values[i]);
    meeting->barrier.arrive_and_wait();
    return all;
  }
};

/// Calls body(lanes) on every lane.
template <typename Body>
void run_lanes(std::uint32_t lanes, const Body& body) {
  Meeting meeting(lanes);
  if (lanes == 1) {
    body(ThreadLanes{0, 1, &meeting});
    return;
  }
  std::vector<std::thread> threads;
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    threads.emplace_back([&, lane] { body(ThreadLanes{lane, lanes, &meeting}); });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace cane
