#include "engine/exchange_cost.h"

#include <algorithm>
#include <cmath>

#include "core/simd/change_kernels.h"
#include "train/parallel/exchange_interval.h"

namespace cane {
namespace {

// Until a short message has arrived and its reader has noticed: TCP between machines of a cluster.
constexpr double kLatency = 50e-6;
// Messages of a batch whose classes are shared out, one waiting for the other: lists, noises,
// steps.
constexpr double kClassMessages = 3.0;
constexpr double kLineBytes = sizeof(std::uint32_t) + kChangeLine * sizeof(Half);
constexpr double kExactLineBytes = sizeof(std::uint32_t) + kChangeLine * sizeof(float);

double others(const Cluster& cluster) {
  return static_cast<double>(cluster.ranks) - 1.0;
}

double batches_of(std::uint64_t examples, std::uint64_t batch) {
  return std::ceil(static_cast<double>(examples) / static_cast<double>(batch));
}

struct Interval {
  double computing = 0.0;
  double exchanging = 0.0;  // what is added to that: messages travel while the ranks compute
  double bytes = 0.0;       // by one rank to all others
};

Interval interval_of(const ExchangeMeasures& measures, const Cluster& cluster, double batches) {
  const double own = batches / cluster.ranks;
  const double lines = lines_after(measures.sent_lines, own, measures.lines);
  Interval interval;
  interval.computing = own * measures.batch_seconds;
  interval.bytes = lines * kLineBytes * others(cluster);
  const double travelling = interval.bytes / cluster.bytes_per_second + kLatency;
  interval.exchanging =
      std::max(0.0, travelling - interval.computing) +
      lines_after(measures.changed_lines, own, measures.lines) * measures.take_seconds +
      lines * others(cluster) * measures.add_seconds;
  return interval;
}

}  // namespace

double lines_after(const std::vector<double>& known, double batches, double all) {
  const double step = std::log2(std::max(batches, 1.0));
  const auto below = static_cast<std::size_t>(step);
  if (below + 1 < known.size()) {
    return std::lerp(known[below], known[below + 1], step - static_cast<double>(below));
  }
  const double share = std::min(known.back() / all, 1.0 - 1e-12);
  const double times = batches / std::exp2(static_cast<double>(known.size() - 1));
  return all * -std::expm1(times * std::log1p(-share));
}

RankEstimate exchange_cost(const ExchangeMeasures& measures, const Cluster& cluster) {
  ExchangeInterval decision(measures.examples, measures.classes, measures.batch, cluster.ranks);
  Interval interval;
  std::uint64_t before = 0;
  while (decision.batches() > before) {  // it only grows from its least, until it is long enough
    before = decision.batches();
    interval = interval_of(measures, cluster, static_cast<double>(before));
    const WeightExchange::Note note = {.computing = interval.computing,
                                       .exchanging = interval.exchanging};
    decision.adapt({&note, 1});
  }
  const double batches = batches_of(measures.examples, measures.batch);
  const double exchanges = std::ceil(batches / static_cast<double>(before));
  // At the end of an epoch every line that a rank has changed goes to its owner, and from there to
  // all.
  const double part = others(cluster) / cluster.ranks;
  const auto changed = [&](double count) {
    return lines_after(measures.changed_lines, count, measures.lines);
  };
  const double settled = part * (kExactLineBytes * changed(batches / cluster.ranks) +
                                 kChangeLine * sizeof(float) * changed(batches));
  RankEstimate estimate;
  estimate.examples = measures.examples;
  estimate.examples_between = before * measures.batch;
  estimate.sent_bytes = exchanges * interval.bytes + settled;
  estimate.exchange_seconds =
      exchanges * interval.exchanging + settled / cluster.bytes_per_second + 2 * kLatency;
  estimate.seconds = batches / cluster.ranks * measures.batch_seconds + estimate.exchange_seconds;
  return estimate;
}

RankEstimate slice_cost(const SliceMeasures& measures, const Cluster& cluster) {
  const double batches = batches_of(measures.examples, measures.batch);
  RankEstimate estimate;
  estimate.examples = measures.examples;
  estimate.examples_between = measures.batch;
  estimate.sent_bytes = batches * measures.bytes * others(cluster);
  estimate.exchange_seconds = estimate.sent_bytes / cluster.bytes_per_second +
                              batches * (kLatency + measures.packing * (1.0 + others(cluster)));
  estimate.seconds = batches * (measures.computing + measures.updating) + estimate.exchange_seconds;
  return estimate;
}

RankEstimate class_cost(const ShardMeasures& measures, const Cluster& cluster) {
  const double batches = batches_of(measures.examples, measures.batch);
  RankEstimate estimate;
  estimate.examples = measures.examples;
  estimate.examples_between = measures.batch;
  estimate.sent_bytes = static_cast<double>(measures.examples) * measures.bytes * others(cluster);
  estimate.exchange_seconds =
      estimate.sent_bytes / cluster.bytes_per_second + batches * kClassMessages * kLatency;
  estimate.seconds = batches * measures.batch_seconds + estimate.exchange_seconds;
  return estimate;
}

}  // namespace cane
