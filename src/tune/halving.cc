#include "tune/halving.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>
#include <vector>

namespace cane {
namespace {

// Two finalists: a last rung with a single configuration decides nothing.
constexpr std::size_t kFinalists = 2;
// Give up after this many failures without a success.
constexpr std::size_t kGiveUpAfter = 8;

std::size_t better_half(std::size_t count) {
  return std::max((count + 1) / 2, std::min(count, kFinalists));
}

struct Contestant {
  std::size_t configuration = 0;
  // Results of its last successful trial:
  double score = 0.0;
  double share = 0.0;
  double seconds = 0.0;
};

using RungSizes = std::vector<std::size_t>;

// The longest ladder down to the finalists that starts with `first` configurations.
RungSizes ladder_from(std::size_t first, std::uint32_t most_rungs) {
  RungSizes sizes = {first};
  while (sizes.back() > kFinalists && sizes.size() < most_rungs) {
    sizes.push_back(better_half(sizes.back()));
  }
  return sizes;
}

// The widest ladder within the budget of trials; leftover trials go to the first rung.
RungSizes ladder_of(std::size_t trials, std::size_t configurations, std::uint32_t most_rungs) {
  RungSizes best = {1};
  std::size_t best_trials = 1;
  for (std::size_t first = 1; first <= configurations; ++first) {
    RungSizes sizes = ladder_from(first, most_rungs);
    const std::size_t taken = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    if (taken > trials) break;
    best = std::move(sizes);
    best_trials = taken;
  }
  best.front() = std::min(best.front() + trials - best_trials, configurations);
  return best;
}

class Halving {
 public:
  Halving(const HalvingOptions& options, const RunTrial& run) : options_(options), run_(run) {
    assert(options.configurations > 0 && options.first_share > 0.0);
    assert(options.trials > 0 || options.seconds > 0.0);
    for (double share = options.first_share; share * 2.0 <= options.top_share; share *= 2.0) {
      ++most_rungs_;
    }
  }

  std::optional<std::size_t> search() {
    if (options_.trials > 0) {
      search_by_count();
    } else {
      search_by_time();
    }
    return best_;
  }

 private:
  void search_by_count() {
    const RungSizes sizes = ladder_of(options_.trials, options_.configurations, most_rungs_);
    const auto rungs = static_cast<std::uint32_t>(sizes.size());
    // With few rungs, keep the highest ones: results at the top share matter most.
    share_ = options_.first_share * std::exp2(most_rungs_ - rungs);
    for (std::size_t i = 0; i < sizes.front() && go_on(); ++i) attempt({i});
    while (rung_ + 1 < rungs && climb()) {
      const std::size_t places = std::min(sizes[rung_], waiting_.size());
      for (std::size_t i = 0; i < places && go_on(); ++i) attempt(waiting_[i]);
    }
    settle();
  }

  void search_by_time() {
    share_ = options_.first_share;
    attempt({0});
    // Each rung gets an equal share of the time. Rungs cost roughly the same: half the trials, each
    // twice as long.
    std::uint32_t rungs = most_rungs_;
    while (rungs > 1 && options_.seconds < rungs * std::exp2(rungs - 1) * seconds_) --rungs;
    try_new_until(options_.seconds / rungs);
    while (finalists_fit() && climb()) {
      const double rungs_left = rungs > rung_ ? rungs - rung_ : 1;
      const double rung_end = seconds_ + seconds_left() / rungs_left;
      const std::size_t places = better_half(waiting_.size());
      for (std::size_t i = 0; i < places && go_on(); ++i) {
        if (!fits(waiting_[i], i < kFinalists ? options_.seconds : rung_end)) break;
        attempt(waiting_[i]);
      }
    }
    use_what_is_left();
    settle();
  }

  double seconds_left() const { return options_.seconds - seconds_; }

  // Upper bound on the time of a trial on this rung; part of it does not depend on the share.
  double expected_seconds(const Contestant& contestant) const {
    return contestant.seconds * share_ / contestant.share;
  }
  bool fits(const Contestant& contestant, double end) const {
    return seconds_ + expected_seconds(contestant) <= end;
  }

  void try_new_until(double end) {
    for (std::size_t i = attempted_.size(); i < options_.configurations && go_on(); ++i) {
      const double mean = seconds_ / static_cast<double>(i);
      if (seconds_ + mean > end) break;
      attempt({i});
    }
  }

  // A rung with a single contestant would decide nothing.
  bool finalists_fit() {
    settle();
    double seconds = 0.0;
    for (std::size_t i = 0; i < std::min(passed_.size(), kFinalists); ++i) {
      seconds += 2.0 * expected_seconds(passed_[i]);
    }
    return seconds <= seconds_left();
  }

  // If there is no time for another rung, admit more contestants to the last one, those that got
  // furthest first.
  void use_what_is_left() {
    if (rung_ == 0) return try_new_until(options_.seconds);
    leave_behind();
    for (const Contestant& contestant : left_behind_) {
      if (!go_on()) break;
      if (fits(contestant, options_.seconds)) attempt(contestant);
    }
  }

  void leave_behind() {
    std::vector<Contestant> left;
    std::remove_copy_if(waiting_.begin(), waiting_.end(), std::back_inserter(left),
                        [this](const Contestant& c) { return was_attempted(c); });
    left_behind_.insert(left_behind_.begin(), left.begin(), left.end());
  }

  bool was_attempted(const Contestant& contestant) const {
    return std::find(attempted_.begin(), attempted_.end(), contestant.configuration) !=
           attempted_.end();
  }

  bool go_on() const {
    const bool hopeless = passed_.empty() && waiting_.empty() && attempted_.size() >= kGiveUpAfter;
    return !stopped_ && !hopeless;
  }

  void attempt(Contestant contestant) {
    const auto outcome = run_(contestant.configuration, rung_, share_);
    if (!outcome) {
      stopped_ = true;
      return;
    }
    seconds_ += outcome->seconds;
    attempted_.push_back(contestant.configuration);
    if (!outcome->score) return;
    contestant.score = *outcome->score;
    contestant.share = share_;
    contestant.seconds = outcome->seconds;
    passed_.push_back(contestant);
  }

  // Ends a rung: contestants that passed it are queued for the next one, best first. Returns false
  // if there is no next rung.
  bool climb() {
    settle();
    if (stopped_ || passed_.size() < 2 || share_ * 2.0 > options_.top_share) return false;
    leave_behind();
    waiting_ = std::move(passed_);
    let_reference_pass();
    passed_.clear();
    attempted_.clear();
    ++rung_;
    share_ *= 2.0;
    return true;
  }

  // Learning curves cross: the leader after a part of an epoch may lose in a long training. So the
  // baseline configuration is kept in every rung, in second place at the latest.
  void let_reference_pass() {
    constexpr std::ptrdiff_t kPlace = 1;
    const auto reference = std::find_if(waiting_.begin(), waiting_.end(),
                                        [](const Contestant& c) { return c.configuration == 0; });
    if (reference == waiting_.end() || reference - waiting_.begin() <= kPlace) return;
    std::rotate(waiting_.begin() + kPlace, reference, reference + 1);
  }

  // The best contestant of this rung. If none passed it, the best of the rung below that did not
  // fail on this one, or simply the best of that rung if all failed.
  void settle() {
    std::stable_sort(passed_.begin(), passed_.end(),
                     [](const Contestant& a, const Contestant& b) { return a.score > b.score; });
    if (!passed_.empty()) {
      best_ = passed_.front().configuration;
      return;
    }
    const auto unharmed = std::find_if(waiting_.begin(), waiting_.end(),
                                       [&](const Contestant& c) { return !was_attempted(c); });
    if (unharmed != waiting_.end()) best_ = unharmed->configuration;
  }

  const HalvingOptions& options_;
  const RunTrial& run_;
  std::uint32_t most_rungs_ = 1;
  std::uint32_t rung_ = 0;
  double share_ = 0.0;
  double seconds_ = 0.0;
  bool stopped_ = false;
  std::vector<Contestant> waiting_;      // passed the rung below, in the order they try this one
  std::vector<Contestant> left_behind_;  // passed lower rungs, highest first
  std::vector<Contestant> passed_;       // passed this rung; sorted best first at its end
  std::vector<std::size_t> attempted_;   // configurations tried on this rung
  std::optional<std::size_t> best_;
};

}  // namespace

std::optional<std::size_t> successive_halving(const HalvingOptions& options, const RunTrial& run) {
  return Halving(options, run).search();
}

}  // namespace cane
