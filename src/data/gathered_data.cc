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

/// An array of the gathered rows in their storage. Ranks append to their parts of it.
struct Array {
  std::uint64_t begin = 0;
  std::uint64_t item_bytes = 0;
};

class Gathering {
 public:
  Gathering(const DatasetView& own, Communicator& ranks, const GatherLimits& limits)
      : own_(own), ranks_(ranks), limits_(limits) {
    const Amount amount = {own.size(), own.is_dense() ? 0 : own.stored_values()};
    for (const Amount& part : ranks.all_gather_value(amount)) {
      before_.push_back(total_);
      total_ += part;
    }
    has_weights_ = ranks.sum(std::uint64_t{own.has_weights()}) > 0;
    is_listed_ = ranks.sum(std::uint64_t{is_listed(own)}) > 0;
    lay_out();
    storage_ = std::make_shared<Storage>(bytes_, fits_in_memory(), limits);
  }

  DatasetView gather() {
    gather(labels_, &Amount::examples,
           [&](std::size_t i) { return bytes_of_value(own_.label(i)); });
    if (has_weights_) {
      gather(weights_, &Amount::examples,
             [&](std::size_t i) { return bytes_of_value(own_.weight(i)); });
    }
    if (own_.is_dense()) {
      const std::size_t bytes = own_.dense_row_bytes();
      gather(values_, &Amount::examples, [&](std::size_t i) {
        const auto row = std::span(own_.dense().matrix + own_.stored_row(i) * bytes, bytes);
        return Bytes(row.begin(), row.end());
      });
    } else {
      gather_sparse();
    }
    if (is_listed_) list_rows();
    return view();
  }

  std::shared_ptr<const void> storage() const { return storage_; }

 private:
  static bool is_listed(const DatasetView& view) {
    return !(view.is_dense() ? view.dense().rows : view.sparse().rows).empty();
  }
  template <typename Value>
  static Bytes bytes_of_value(const Value& value) {
    const auto bytes = std::as_bytes(std::span(&value, 1));
    return {bytes.begin(), bytes.end()};
  }

  void lay_out() {
    const auto reserve = [&](Array& array, std::uint64_t items, std::uint64_t item_bytes) {
      array = {bytes_, item_bytes};
      bytes_ += (items * item_bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    };
    const std::uint64_t rows = total_.examples;
    reserve(labels_, rows, sizeof(ClassId));
    reserve(weights_, has_weights_ ? rows : 0, sizeof(float));
    reserve(rows_, is_listed_ ? rows : 0, sizeof(std::uint64_t));
    if (own_.is_dense()) {
      reserve(values_, rows, own_.dense_row_bytes());
      return;
    }
    reserve(offsets_, rows + 1, sizeof(std::uint64_t));
    reserve(indices_, total_.values, sizeof(FeatureId));
    reserve(values_, total_.values, sizeof(float));
  }

  /// On every rank: all take the same way. Ranks of one machine share its memory.
  bool fits_in_memory() {
    const auto neighbours = static_cast<std::uint64_t>(ranks_.ranks_of_machine());
    const std::uint64_t available = available_memory();
    const bool fits = bytes_ <= limits_.memory_bytes && !is_large(bytes_) &&
                      (available == 0 || bytes_ <= available / 2 / neighbours);
    return !ranks_.any(!fits);
  }

  /// Sends pack(example) of all examples, a few at a time, and writes what each rank sends one
  /// after the other. The array has an item for each example, or for each value.
  template <typename Pack>
  void gather(const Array& array, std::uint64_t Amount::*items, const Pack& pack) {
    std::vector<std::uint64_t> places;
    for (const Amount& before : before_) {
      places.push_back(array.begin + before.*items * array.item_bytes);
    }
    const std::size_t most = limits_.round_bytes / static_cast<std::size_t>(ranks_.ranks());
    std::size_t sent = 0;
    for (bool has_more = true; has_more;) {
      Bytes message;
      const std::size_t first = sent;
      while (sent < own_.size() && (message.empty() || message.size() < most)) {
        const auto bytes = pack(sent++);
        message.insert(message.end(), bytes.begin(), bytes.end());
      }
      own_.drop_rows(first, sent);
      // A rank whose rows are empty may have nothing to send yet.
      has_more = ranks_.sum(sent < own_.size() ? 1 : 0) > 0;
      const std::vector<Bytes> parts = ranks_.all_gather(std::move(message));
      for (std::size_t rank = 0; rank < parts.size(); ++rank) {
        storage_->write_at(places[rank], parts[rank]);
        places[rank] += parts[rank].size();
      }
    }
  }
  void gather_sparse() {
    const std::uint64_t start = 0;
    storage_->write_at(offsets_.begin, std::as_bytes(std::span(&start, 1)));
    std::uint64_t end = before_[static_cast<std::size_t>(ranks_.rank())].values;
    Array ends = offsets_;
    ends.begin += sizeof start;
    gather(ends, &Amount::examples,
           [&](std::size_t i) { return bytes_of_value(end += row(i).count); });
    gather(indices_, &Amount::values,
           [&](std::size_t i) { return std::as_bytes(std::span(row(i).indices, row(i).count)); });
    gather(values_, &Amount::values,
           [&](std::size_t i) { return std::as_bytes(std::span(row(i).values, row(i).count)); });
  }

  RowView row(std::size_t example) const { return own_.row(example, {}); }

  /// One process that skipped rows of a matrix lists those that remain; here only they are stored.
  void list_rows() {
    constexpr std::uint64_t kAtOnce = std::uint64_t{1} << 16;
    for (std::uint64_t begin = 0; begin < total_.examples; begin += kAtOnce) {
      std::vector<std::uint64_t> rows(std::min(kAtOnce, total_.examples - begin));
      std::iota(rows.begin(), rows.end(), begin);
      storage_->write_at(rows_.begin + begin * sizeof(std::uint64_t),
                         std::as_bytes(std::span(rows)));
    }
  }

  DatasetView view() {
    const std::byte* const all = storage_->finish();
    const auto array = [&]<typename Value>(const Array& place, std::uint64_t count, Value) {
      return std::span(reinterpret_cast<const Value*>(all + place.begin), count);
    };
    const std::uint64_t examples = total_.examples;
    const auto labels = array(labels_, examples, ClassId{});
    const auto weights = array(weights_, has_weights_ ? examples : 0, float{});
    const auto rows = array(rows_, is_listed_ ? examples : 0, std::uint64_t{});
    if (own_.is_dense()) {
      DatasetView::Dense features = own_.dense();
      features.matrix = all + values_.begin;
      features.rows = rows;
      features.mapped = storage_->is_file();
      return {features, own_.dimension(), labels, weights};
    }
    return {DatasetView::Sparse{.offsets = array(offsets_, examples + 1, std::uint64_t{}),
                                .indices = array(indices_, total_.values, FeatureId{}).data(),
                                .values = array(values_, total_.values, float{}).data(),
                                .rows = rows,
                                .mapped = storage_->is_file()},
            own_.dimension(), labels, weights};
  }

  const DatasetView& own_;
  Communicator& ranks_;
  const GatherLimits& limits_;
  std::vector<Amount> before_;  // what the ranks before each have
  Amount total_;
  bool has_weights_ = false;  // of some rank: the others give ones
  bool is_listed_ = false;
  Array labels_;
  Array weights_;
  Array rows_;  // the list of stored rows
  Array offsets_;
  Array indices_;
  Array values_;
  std::uint64_t bytes_ = 0;
  std::shared_ptr<Storage> storage_;
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
