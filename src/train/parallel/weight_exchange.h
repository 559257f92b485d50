// Keeps the weights of ranks that train at the same time together. Every rank changes its own copy;
// at intervals it sends the others what has changed since the last exchange, and adds what they
// send. Changes are sums of steps, so the weights are those of a training that has taken the steps
// of all ranks, each a little late. Only lines of weights that have changed travel, in halves; what
// rounding leaves is sent with a later change, and so are changes too small to matter. Messages are
// on their way while the ranks compute: what is sent at the end of one interval is added at the end
// of the next.
//
// A change costs 36 bytes for 16 weights, to every other rank. When the ranks settle, every weight
// that has changed since they last did travels once more, exactly: to the rank that owns it, and
// from there to all.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/buffer.h"
#include "core/parallel/communicator.h"

namespace cane {

/// Which parts of an array may have been changed, by pages of a few cache lines. Threads mark pages
/// while others do; no thread marks while pages are read or cleared.
class TouchedPages {
 public:
  /// Floats of a page: a row of weights of a few hundred features is a few pages.
  static constexpr std::size_t kPage = 256;

  explicit TouchedPages(std::size_t size) : size_(size), is_touched_((size + kPage - 1) / kPage) {}

  std::size_t size() const { return size_; }
  std::size_t pages() const { return is_touched_.size(); }
  std::size_t begin_of(std::size_t page) const { return page * kPage; }
  std::size_t end_of(std::size_t page) const { return std::min(size_, (page + 1) * kPage); }

  /// Marks the pages of elements [begin, end), which must not be empty.
  void touch(std::size_t begin, std::size_t end) {
    for (std::size_t page = begin / kPage; page <= (end - 1) / kPage; ++page) {
      is_touched_[page].store(1, std::memory_order_relaxed);
    }
  }
  void touch_all() { set_all(1); }
  void clear() { set_all(0); }

  bool is_touched(std::size_t page) const {
    return is_touched_[page].load(std::memory_order_relaxed) != 0;
  }
  /// Calls body(page) for each touched page, in order.
  template <typename Body>
  void for_each(const Body& body) const {
    for (std::size_t page = 0; page < pages(); ++page) {
      if (is_touched(page)) body(page);
    }
  }

 private:
  void set_all(std::uint8_t value) {
    for (auto& flag : is_touched_) flag.store(value, std::memory_order_relaxed);
  }

  std::size_t size_;
  std::vector<std::atomic<std::uint8_t>> is_touched_;
};

/// Weights of a training, or what an optimiser remembers about them.
struct ChangingArray {
  std::span<float> values;
  /// Smaller changes are not sent, as a part of the largest value of the same line.
  float least_change = 0.0F;
};

class WeightExchange {
 public:
  /// `arrays` are equal on all ranks, have the same sizes everywhere, and must outlive the object.
  WeightExchange(const std::vector<ChangingArray>& arrays, Communicator& ranks);

  /// Where threads mark what they change.
  TouchedPages& touched(std::size_t array) { return arrays_[array].touched; }
  void touch_all() {
    for (Array& array : arrays_) array.touched.touch_all();
  }

  /// What a rank sends the others besides its changes.
  struct Note {
    std::uint64_t wants_stop = 0;  // 0 or 1
    double computing = 0.0;        // seconds of the interval before the exchange
    double exchanging = 0.0;       // seconds of the exchange before that
  };

  /// Adds what the others have sent at the last call, and sends what has changed here since then.
  /// Returns the notes of the last call, in the order of the ranks; nothing at the first. All ranks
  /// call it, while no thread changes an array.
  std::vector<Note> exchange(const Note& note);

  /// Makes the arrays equal on all ranks, to the bit, with the changes of all. Returns the notes of
  /// the last exchange, if they have not been returned. All ranks call it.
  std::vector<Note> settle();

  /// Moves messages on. May be called by one thread while others change the arrays.
  void progress() { ranks_.progress(); }

  /// The memory that this needs for arrays of `floats` floats in total.
  static std::uint64_t bytes_for(std::uint64_t floats) { return 4 * floats + floats / 128; }

 private:
  struct Array {
    explicit Array(const ChangingArray& of);

    std::span<float> values;
    float least_change;
    AlignedBuffer<float> known;  // the values without the changes that are still to be sent
    TouchedPages touched;        // here, since the last exchange
    TouchedPages unsettled;      // here, since the arrays were equal
    TouchedPages changed;        // by any rank since then, as far as this one knows
  };

  Bytes take_changes(const Note& note);
  std::vector<Note> receive();
  void add_changes(std::span<const std::byte> message);
  void add_exact_changes(Array& array);
  void copy_from_owners(Array& array);
  int owner_of(std::size_t page) const {
    return static_cast<int>(page % static_cast<std::size_t>(ranks_.ranks()));
  }

  std::vector<Array> arrays_;
  Communicator& ranks_;
};

}  // namespace cane
