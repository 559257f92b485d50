#include "data/gathered_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cane/error.h"
#include "core/base/buffer.h"
#include "core/base/memory.h"
#include "core/file/cache_source.h"
#include "core/file/unnamed_file.h"
#include "data/rows/row_message.h"

namespace cane {
namespace {

std::string folder_for(const GatherLimits& limits) {
  const std::string folder = cache_folder(limits.folder);
  return folder.empty() ? std::filesystem::temp_directory_path().string() : folder;
}

/// Bytes that are written once, at any place, and then read: in memory or in a file.
class Storage {
 public:
  Storage(std::uint64_t bytes, bool in_memory, const GatherLimits& limits) : bytes_(bytes) {
    if (in_memory) {
      memory_ = Buffer<std::byte>(bytes);
    } else {
      on_disk([&] { file_.emplace(folder_for(limits)); });
    }
  }

  bool is_file() const { return file_.has_value(); }
  void write_at(std::uint64_t place, std::span<const std::byte> bytes) {
    if (file_) {
      on_disk([&] { file_->write_at(place, bytes); });
    } else if (!bytes.empty()) {
      std::memcpy(memory_.data() + place, bytes.data(), bytes.size());
    }
  }
  const std::byte* finish() { return file_ ? file_->map(bytes_).data() : memory_.data(); }

 private:
  template <typename Action>
  void on_disk(const Action& action) const {
    try {
      action();
    } catch (const Error& error) {
      throw Error(fmt::format(
          "{}; the examples of all ranks take {} there for each rank: make room, or choose another "
          "folder with `cache_directory`",
          error.what(), bytes_as_text(bytes_)));
    }
  }

  std::uint64_t bytes_;
  Buffer<std::byte> memory_;
  std::optional<UnnamedFile> file_;
};

/// How much there is of the rows of one rank, or of all.
struct Amount {
  std::uint64_t examples = 0;
  std::uint64_t values = 0;  // of sparse rows

  Amount& operator+=(const Amount& other) {
    examples += other.examples;
    values += other.values;
    return *this;
  }
};

/// Where the arrays of the gathered rows lie in their storage.
struct Places {
  std::uint64_t labels = 0;
  std::uint64_t weights = 0;
  std::uint64_t rows = 0;  // the list of stored rows
  std::uint64_t offsets = 0;
  std::uint64_t indices = 0;
  std::uint64_t values = 0;
  std::uint64_t end = 0;
};

class Gathering {
 public:
  Gathering(const DatasetView& own, Communicator& ranks, const GatherLimits& limits)
      : own_(own), ranks_(ranks), limits_(limits) {
    const Amount amount = {own.size(), own.is_dense() ? 0 : own.stored_values()};
    for (const Amount& part : ranks.all_gather_value(amount)) {
      next_.push_back(total_);
      total_ += part;
    }
    shape_ = {own.is_dense(), ranks.sum(std::uint64_t{own.has_weights()}) > 0};
    is_listed_ = ranks.sum(std::uint64_t{is_listed(own)}) > 0;
    lay_out();
    storage_ = std::make_shared<Storage>(places_.end, fits_in_memory(), limits);
  }

  DatasetView gather() {
    const std::uint64_t first_offset = 0;
    if (!shape_.is_dense)
      storage_->write_at(places_.offsets, std::as_bytes(std::span(&first_offset, 1)));
    for (bool has_more = true; has_more;) {
      const std::vector<Bytes> parts = ranks_.all_gather(next_message());
      has_more = false;
      for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        if (parts[rank].empty()) continue;
        place(RowMessage(parts[rank], shape_), next_[rank]);
        has_more = true;
      }
    }
    if (is_listed_) list_rows();
    return view();
  }

  std::shared_ptr<const void> storage() const { return storage_; }

 private:
  static bool is_listed(const DatasetView& view) {
    return !(view.is_dense() ? view.dense().rows : view.sparse().rows).empty();
  }

  void lay_out() {
    const auto reserve = [&](std::uint64_t bytes) {
      const std::uint64_t begin = places_.end;
      places_.end = (begin + bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
      return begin;
    };
    const std::uint64_t rows = total_.examples;
    places_.labels = reserve(rows * sizeof(ClassId));
    places_.weights = reserve(shape_.has_weights ? rows * sizeof(float) : 0);
    places_.rows = reserve(is_listed_ ? rows * sizeof(std::uint64_t) : 0);
    if (shape_.is_dense) {
      places_.values = reserve(rows * own_.dense_row_bytes());
      return;
    }
    places_.offsets = reserve((rows + 1) * sizeof(std::uint64_t));
    places_.indices = reserve(total_.values * sizeof(FeatureId));
    places_.values = reserve(total_.values * sizeof(float));
  }

  /// On every rank: all take the same way. Ranks of one machine share its memory.
  bool fits_in_memory() {
    const auto neighbours = static_cast<std::uint64_t>(ranks_.ranks_of_machine());
    const std::uint64_t available = available_memory();
    const bool fits = places_.end <= limits_.memory_bytes && !is_large(places_.end) &&
                      (available == 0 || places_.end <= available / 2 / neighbours);
    return !ranks_.any(!fits);
  }

  /// The next rows of this rank; nothing once all have been sent.
  Bytes next_message() {
    const std::size_t begin = sent_;
    const auto ranks = static_cast<std::uint64_t>(ranks_.ranks());
    sent_ = end_of_message(own_, begin, limits_.round_bytes / ranks);
    if (sent_ == begin) return {};
    Bytes message = pack_rows(own_, begin, sent_, shape_);
    own_.drop_rows(begin, sent_);
    return message;
  }

  /// Puts the rows of a message where the next ones of their rank belong.
  void place(const RowMessage& message, Amount& next) {
    storage_->write_at(places_.labels + next.examples * sizeof(ClassId), message.labels);
    storage_->write_at(places_.weights + next.examples * sizeof(float), message.weights);
    if (shape_.is_dense) {
      storage_->write_at(places_.values + next.examples * own_.dense_row_bytes(), message.values);
    } else {
      storage_->write_at(places_.indices + next.values * sizeof(FeatureId), message.indices);
      storage_->write_at(places_.values + next.values * sizeof(float), message.values);
      std::vector<std::uint64_t> ends;
      for (const std::uint32_t count : values_of<std::uint32_t>(message.counts)) {
        ends.push_back(next.values += count);
      }
      storage_->write_at(places_.offsets + (next.examples + 1) * sizeof(std::uint64_t),
                         std::as_bytes(std::span(ends)));
    }
    next.examples += message.rows;
  }

  /// One process that skipped rows of a matrix lists those that remain; here only they are stored.
  void list_rows() {
    constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 16;
    for (std::uint64_t begin = 0; begin < total_.examples; begin += kAtOnce) {
      std::vector<std::uint64_t> rows(std::min(kAtOnce, total_.examples - begin));
      std::iota(rows.begin(), rows.end(), begin);
      storage_->write_at(places_.rows + begin * sizeof(std::uint64_t),
                         std::as_bytes(std::span(rows)));
    }
  }

  template <typename Value>
  static std::span<const Value> array(const std::byte* at, std::uint64_t count) {
    return {reinterpret_cast<const Value*>(at), count};
  }

  DatasetView view() {
    const std::byte* const all = storage_->finish();
    const std::uint64_t examples = total_.examples;
    const auto labels = array<ClassId>(all + places_.labels, examples);
    const auto weights = array<float>(all + places_.weights, shape_.has_weights ? examples : 0);
    const auto rows = array<std::uint64_t>(all + places_.rows, is_listed_ ? examples : 0);
    if (shape_.is_dense) {
      DatasetView::Dense features = own_.dense();
      features.matrix = all + places_.values;
      features.rows = rows;
      features.mapped = storage_->is_file();
      return {features, own_.dimension(), labels, weights};
    }
    return {DatasetView::Sparse{
                .offsets = array<std::uint64_t>(all + places_.offsets, examples + 1),
                .indices = array<FeatureId>(all + places_.indices, total_.values).data(),
                .values = array<float>(all + places_.values, total_.values).data(),
                .rows = rows,
                .mapped = storage_->is_file()},
            own_.dimension(), labels, weights};
  }

  const DatasetView& own_;
  Communicator& ranks_;
  const GatherLimits& limits_;
  std::vector<Amount> next_;  // what lies before the next rows of each rank
  Amount total_;
  RowMessageShape shape_;
  bool is_listed_ = false;
  Places places_;
  std::shared_ptr<Storage> storage_;
  std::size_t sent_ = 0;
};

}  // namespace

LoadedData gather_data(LoadedData share, Communicator& ranks, const GatherLimits& limits) {
  if (ranks.is_alone()) return share;
  Gathering gathering(share.view, ranks, limits);
  const DatasetView view = gathering.gather();
  share.view = view;
  share.storage = gathering.storage();
  return_freed_memory();
  return share;
}

}  // namespace cane
