#include "core/loop/checkpoint_writer.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <system_error>
#include <utility>
#include <vector>

#include "core/base/memory.h"
#include "core/base/stopwatch.h"

namespace cane {
namespace {

// A disk of today; the first checkpoint measures it.
constexpr double kAssumedBytesPerSecond = 500e6;
// A copy is made if the free memory would hold this many.
constexpr std::uint64_t kCopiesThatMustFit = 2;

std::uint64_t bytes_of(std::span<const TensorToWrite> tensors) {
  std::uint64_t bytes = 0;
  for (const TensorToWrite& tensor : tensors) bytes += tensor.bytes.size();
  return bytes;
}

// Tensors with bytes of their own.
struct Snapshot {
  std::vector<TensorToWrite> tensors;
  std::map<std::string, std::string> metadata;
  std::unique_ptr<std::byte[]> bytes;
};

// Empty if memory does not allow it.
std::unique_ptr<Snapshot> copy_of(std::span<const TensorToWrite> tensors,
                                  const std::map<std::string, std::string>& metadata) {
  const std::uint64_t bytes = bytes_of(tensors);
  if (CheckpointWriter::copy_bytes(bytes) == 0) return nullptr;
  try {
    auto copy = std::make_unique<Snapshot>();
    copy->tensors.assign(tensors.begin(), tensors.end());
    copy->metadata = metadata;
    copy->bytes = std::make_unique_for_overwrite<std::byte[]>(bytes);
    std::byte* place = copy->bytes.get();
    for (TensorToWrite& tensor : copy->tensors) {
      if (!tensor.bytes.empty()) std::memcpy(place, tensor.bytes.data(), tensor.bytes.size());
      tensor.bytes = {place, tensor.bytes.size()};
      place += tensor.bytes.size();
    }
    return copy;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

std::uint64_t CheckpointWriter::copy_bytes(std::uint64_t bytes) {
  return available_memory() / kCopiesThatMustFit < bytes ? 0 : bytes;
}

CheckpointWriter::CheckpointWriter(std::string path)
    : path_(std::move(path)), stamp_(stamp_of(path_)) {}

CheckpointWriter::~CheckpointWriter() {
  if (thread_.joinable()) thread_.join();
}

void CheckpointWriter::write(std::span<const TensorToWrite> tensors,
                             const std::map<std::string, std::string>& metadata, Mode mode) {
  if (path_.empty()) return;
  const Stopwatch watch;
  wait();
  if (!finds_own()) return;
  bytes_ = bytes_of(tensors);
  if (mode == Mode::kWait || !start_in_background(tensors, metadata)) {
    write_now([&](const std::string& path) { write_safetensors(path, tensors, metadata); });
  }
  ++written_;
  seconds_waited_ += watch.seconds();
}

void CheckpointWriter::write(std::uint64_t bytes,
                             const std::function<void(const std::string& path)>& write_file) {
  if (path_.empty()) return;
  const Stopwatch watch;
  wait();
  bytes_ = bytes;
  write_now(write_file);
  ++written_;
  seconds_waited_ += watch.seconds();
}

void CheckpointWriter::wait() {
  if (thread_.joinable()) thread_.join();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

std::string CheckpointWriter::finish() {
  const Stopwatch watch;
  std::string problem;
  try {
    wait();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  finds_own();
  seconds_waited_ += watch.seconds();
  return problem;
}

bool CheckpointWriter::finds_own() {
  const std::optional<FileStamp> now = stamp_of(path_);
  // A link or another mode, which set the last time of change, make it no other file.
  is_own_ = !now || (stamp_ && now->file == stamp_->file && now->bytes == stamp_->bytes &&
                     now->time == stamp_->time);
  return is_own_;
}

void CheckpointWriter::write_now(const std::function<void(const std::string& path)>& write_file) {
  const Stopwatch watch;
  write_file(path_);
  stamp_ = stamp_of(path_);
  cost_ = watch.seconds();
}

bool CheckpointWriter::start_in_background(std::span<const TensorToWrite> tensors,
                                           const std::map<std::string, std::string>& metadata) {
  std::unique_ptr<Snapshot> copy = copy_of(tensors, metadata);
  if (!copy) return false;
  copied_bytes_ = std::max(copied_bytes_, bytes_of(tensors));
  try {
    thread_ = std::thread([this, snapshot = std::move(copy)] {
      try {
        write_now([&](const std::string& path) {
          write_safetensors(path, snapshot->tensors, snapshot->metadata);
        });
      } catch (...) {
        failure_ = std::current_exception();
      }
    });
  } catch (const std::system_error&) {
    return false;  // The system gives no thread.
  }
  return true;
}

double CheckpointWriter::cost(std::uint64_t bytes) const {
  const double measured = cost_;
  return measured > 0.0 ? measured : estimated_write_seconds(bytes);
}

double estimated_write_seconds(std::uint64_t bytes) {
  return static_cast<double>(bytes) / kAssumedBytesPerSecond;
}

}  // namespace cane
