// Writes the checkpoints of a training, in a thread of its own from a copy of the state while the
// training goes on, where memory allows; otherwise the training waits. Every file is replaced
// atomically, so that a kill at any moment leaves the checkpoint before or the new one. What
// another training has written to the same path meanwhile is left alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <thread>

#include "core/file/cache_source.h"
#include "core/file/safetensors.h"

namespace cane {

class CheckpointWriter {
 public:
  enum class Mode { kInBackground, kWait };

  /// An empty path is never written to.
  explicit CheckpointWriter(std::string path);
  /// Waits for what is being written; an error is lost.
  ~CheckpointWriter();
  CheckpointWriter(const CheckpointWriter&) = delete;
  CheckpointWriter& operator=(const CheckpointWriter&) = delete;

  /// Returns when the tensors may change. Throws Error if they, or those before them, cannot be
  /// written.
  void write(std::span<const TensorToWrite> tensors,
             const std::map<std::string, std::string>& metadata, Mode mode);
  /// The same by a function that writes the file of that path, `bytes` long. Returns when it is
  /// written.
  void write(std::uint64_t bytes, const std::function<void(const std::string& path)>& write_file);
  /// Waits for what is being written. Returns what went wrong, or nothing: a failed checkpoint must
  /// not cost the model of a finished training.
  std::string finish();

  const std::string& path() const { return path_; }
  /// Whether there is nothing, what this object wrote, or what was there when it was made. If not,
  /// write() of tensors writes nothing, and who gives a function must not call write().
  bool finds_own();
  /// The last answer of finds_own(), which write() of tensors and finish() ask.
  bool is_own() const { return is_own_; }
  std::uint32_t written() const { return written_; }
  /// Size of the last one.
  std::uint64_t bytes() const { return bytes_; }
  /// The largest copy that was made to write from.
  std::uint64_t copied_bytes() const { return copied_bytes_; }
  /// The copy that is made of this much: all of it, or none where memory does not allow it.
  static std::uint64_t copy_bytes(std::uint64_t bytes);
  /// Total time that the caller has waited.
  double seconds_waited() const { return seconds_waited_; }
  /// Estimated seconds to write a checkpoint of this size: as long as the last one took or, before
  /// the first, by an assumed speed.
  double cost(std::uint64_t bytes) const;

 private:
  void wait();
  void write_now(const std::function<void(const std::string& path)>& write_file);
  bool start_in_background(std::span<const TensorToWrite> tensors,
                           const std::map<std::string, std::string>& metadata);

  std::string path_;
  std::optional<FileStamp> stamp_;  // of the file as this object knows it; as of failure_
  bool is_own_ = true;
  std::thread thread_;
  std::exception_ptr failure_;      // of the thread; read after it was joined
  std::atomic<double> cost_ = 0.0;  // seconds to write the last one; 0: not known yet
  std::uint32_t written_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t copied_bytes_ = 0;
  double seconds_waited_ = 0.0;
};

/// The estimate of cost() before the first checkpoint.
double estimated_write_seconds(std::uint64_t bytes);

}  // namespace cane
