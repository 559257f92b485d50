// The law of a search down the class tree, for estimates of what it left out. A search leaves the
// tree cut into a frontier: classes that it scored, and nodes that it scored and did not follow,
// with the classes below them. Every class is in one of these, and
//   q(k) = (1 - floor) exp(score of its part) / sum over the frontier + floor / (classes outside),
// where a node counts as often as it has classes. Classes that the search scored and did not keep
// are drawn as often as they deserve, those it never saw by what their node promised.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/noise/noise_source.h"
#include "core/tree/class_tree.h"

namespace cane {

/// Number of classes below each node, 1 for a leaf.
std::vector<std::uint32_t> classes_below_nodes(const ClassTree& tree);

class FrontierNoise : public NoiseSource {
 public:
  /// `below`: what classes_below_nodes says. Both must outlive the object.
  FrontierNoise(const ClassTree& tree, std::span<const std::uint32_t> below)
      : tree_(tree), below_(below) {}

  /// Every excluded class must be a part of the frontier itself: a class that the search scored.
  void draw(std::uint32_t example, std::span<const ClassId> excluded, const CounterRandom& random,
            std::uint64_t number, std::span<ClassId> noises, std::span<float> log_q) final;
  float log_q(std::uint32_t example, ClassId class_id, std::span<const ClassId> excluded) final;

 protected:
  struct Part {
    NodeId node;
    float score;
    double mass = 0.0;  // of all its classes, relative to the largest
    double end = 0.0;   // sum of the masses up to this part
  };
  /// Appends the frontier of an example of the last search, in any order.
  virtual void collect(std::uint32_t example, std::vector<Part>& parts) = 0;

 private:
  void prepare(std::uint32_t example, std::span<const ClassId> excluded);
  ClassId draw_class(double part, double place) const;
  float log_probability(ClassId class_id, std::size_t outside) const;

  const ClassTree& tree_;
  std::span<const std::uint32_t> below_;
  std::vector<Part> parts_;  // of the example that was prepared, by their nodes
  double total_ = 0.0;       // 0: nothing is left outside the excluded classes
};

}  // namespace cane
