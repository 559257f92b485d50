#include "train/parallel/weight_exchange.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/parallel/packing.h"
#include "core/simd/change_kernels.h"

namespace cane {
namespace {

using Line = std::array<float, kChangeLine>;

// The last line of an array may be cut short: it is worked on in a copy, with zeros behind it.
Line padded(std::span<const float> values) {
  Line line = {};
  std::ranges::copy(values, line.begin());
  return line;
}

bool take_line(std::span<const float> values, std::span<float> known, float least, Half* change) {
  if (values.size() == kChangeLine) return take_change(values.data(), known.data(), least, change);
  const Line from = padded(values);
  Line to = padded(known);
  const bool has_changed = take_change(from.data(), to.data(), least, change);
  std::copy_n(to.begin(), known.size(), known.begin());
  return has_changed;
}

void add_line(const Half* change, std::span<float> values, std::span<float> known) {
  if (values.size() == kChangeLine) return add_change(change, values.data(), known.data());
  Line to = padded(values);
  Line known_to = padded(known);
  add_change(change, to.data(), known_to.data());
  std::copy_n(to.begin(), values.size(), values.begin());
  std::copy_n(known_to.begin(), known.size(), known.begin());
}

std::span<float> line_of(std::span<float> values, std::size_t line) {
  const std::size_t begin = line * kChangeLine;
  return values.subspan(begin, std::min(kChangeLine, values.size() - begin));
}

}  // namespace

WeightExchange::Array::Array(const ChangingArray& of)
    : values(of.values),
      least_change(of.least_change),
      known(values.size()),
      touched(values.size()),
      unsettled(values.size()),
      changed(values.size()) {
  std::ranges::copy(values, known.data());
}

WeightExchange::WeightExchange(const std::vector<ChangingArray>& arrays, Communicator& ranks)
    : ranks_(ranks) {
  arrays_.reserve(arrays.size());
  for (const ChangingArray& array : arrays) arrays_.emplace_back(array);
}

std::vector<WeightExchange::Note> WeightExchange::exchange(const Note& note) {
  std::vector<Note> notes = receive();
  Bytes message = take_changes(note);
  ranks_.start_all_gather(std::move(message));
  return notes;
}

std::vector<WeightExchange::Note> WeightExchange::settle() {
  std::vector<Note> notes = receive();
  for (Array& array : arrays_) {
    add_exact_changes(array);
    copy_from_owners(array);
  }
  return notes;
}

// For each array the number of lines, their places, and their changes.
Bytes WeightExchange::take_changes(const Note& note) {
  Bytes message;
  pack_value(note, message);
  std::vector<std::uint32_t> places;
  std::vector<Half> changes;
  for (Array& array : arrays_) {
    places.clear();
    changes.clear();
    array.touched.for_each([&](std::size_t page) {
      const std::size_t end = (array.touched.end_of(page) + kChangeLine - 1) / kChangeLine;
      array.unsettled.touch(array.touched.begin_of(page), array.touched.end_of(page));
      for (std::size_t line = array.touched.begin_of(page) / kChangeLine; line < end; ++line) {
        std::array<Half, kChangeLine> change;
        if (!take_line(line_of(array.values, line), line_of(array.known.span(), line),
                       array.least_change, change.data())) {
          continue;
        }
        places.push_back(static_cast<std::uint32_t>(line));
        array.changed.touch(line * kChangeLine, line * kChangeLine + 1);
        changes.insert(changes.end(), change.begin(), change.end());
      }
    });
    array.touched.clear();
    pack_value(static_cast<std::uint64_t>(places.size()), message);
    pack_values(std::span<const std::uint32_t>(places), message);
    pack_values(std::span<const Half>(changes), message);
  }
  return message;
}

std::vector<WeightExchange::Note> WeightExchange::receive() {
  std::vector<Note> notes;
  if (!ranks_.is_gathering()) return notes;
  const std::vector<Bytes> messages = ranks_.finish_all_gather();
  for (std::size_t from = 0; from < messages.size(); ++from) {
    notes.push_back(Unpacking(messages[from]).value<Note>());
    if (static_cast<int>(from) != ranks_.rank()) add_changes(messages[from]);
  }
  return notes;
}

void WeightExchange::add_changes(std::span<const std::byte> message) {
  Unpacking rest(message);
  rest.value<Note>();
  for (Array& array : arrays_) {
    const auto count = static_cast<std::size_t>(rest.value<std::uint64_t>());
    Unpacking places(rest.take(count * sizeof(std::uint32_t)));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t line = places.value<std::uint32_t>();
      std::array<Half, kChangeLine> change;
      std::memcpy(change.data(), rest.take(sizeof(change)).data(), sizeof(change));
      add_line(change.data(), line_of(array.values, line), line_of(array.known.span(), line));
      array.changed.touch(line * kChangeLine, line * kChangeLine + 1);
    }
  }
}

// What rounding has left, and what has changed since the last exchange, goes to the owner of its
// page: the ranks own pages in turn.
void WeightExchange::add_exact_changes(Array& array) {
  array.touched.for_each([&](std::size_t page) {
    array.unsettled.touch(array.touched.begin_of(page), array.touched.end_of(page));
  });
  array.touched.clear();
  std::vector<Bytes> outgoing(static_cast<std::size_t>(ranks_.ranks()));
  array.unsettled.for_each([&](std::size_t page) {
    array.changed.touch(array.changed.begin_of(page), array.changed.end_of(page));
    if (owner_of(page) == ranks_.rank()) return;
    Bytes& message = outgoing[static_cast<std::size_t>(owner_of(page))];
    const std::size_t end = (array.changed.end_of(page) + kChangeLine - 1) / kChangeLine;
    for (std::size_t line = array.changed.begin_of(page) / kChangeLine; line < end; ++line) {
      Line change = padded(line_of(array.values, line));
      const Line known = padded(line_of(array.known.span(), line));
      for (std::size_t i = 0; i < kChangeLine; ++i) change[i] -= known[i];
      if (change == Line{}) continue;
      pack_value(static_cast<std::uint32_t>(line), message);
      pack_values(std::span<const float>(change), message);
    }
  });
  const std::vector<Bytes> messages = ranks_.all_to_all(std::move(outgoing));
  for (std::size_t from = 0; from < messages.size(); ++from) {
    if (static_cast<int>(from) == ranks_.rank()) continue;
    for (Unpacking rest(messages[from]); !rest.is_empty();) {
      const std::size_t line = rest.value<std::uint32_t>();
      const Line change = rest.value<Line>();
      const std::span<float> values = line_of(array.values, line);
      for (std::size_t i = 0; i < values.size(); ++i) values[i] += change[i];
      array.changed.touch(line * kChangeLine, line * kChangeLine + 1);
    }
  }
}

// Ranks have added the same changes in different orders. The owner of a page, which has received
// every change by now, decides.
void WeightExchange::copy_from_owners(Array& array) {
  Bytes own;
  array.changed.for_each([&](std::size_t page) {
    if (owner_of(page) != ranks_.rank()) return;
    const std::size_t begin = array.changed.begin_of(page);
    pack_value(static_cast<std::uint64_t>(page), own);
    pack_values(
        std::span<const float>(array.values.subspan(begin, array.changed.end_of(page) - begin)),
        own);
  });
  for (const Bytes& message : ranks_.all_gather(std::move(own))) {
    for (Unpacking rest(message); !rest.is_empty();) {
      const auto page = static_cast<std::size_t>(rest.value<std::uint64_t>());
      const std::size_t begin = array.changed.begin_of(page);
      const auto bytes = rest.take((array.changed.end_of(page) - begin) * sizeof(float));
      std::memcpy(array.values.data() + begin, bytes.data(), bytes.size());
      std::memcpy(array.known.data() + begin, bytes.data(), bytes.size());
    }
  }
  array.unsettled.clear();
  array.changed.clear();
}

}  // namespace cane
