#include "data/synth/synth_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <span>
#include <vector>

#include "data/matrix/npy_array.h"

namespace cane {
namespace {

static_assert(std::endian::native == std::endian::little, "NumPy files are written as they lie");

constexpr std::uint64_t kRowsPerTask = 256;
constexpr std::uint64_t kTasksPerBlock = 64;

struct WrittenRows {
  std::uint64_t begin;
  std::uint64_t end;
};

// Calls make(examples, task) on all threads for the examples of one block, then write(tasks) on the
// calling one, block after block.
template <typename Make, typename Write>
void for_each_block(std::uint64_t size, ThreadPool& pool, const Make& make, const Write& write) {
  const std::uint64_t block_size = kRowsPerTask * kTasksPerBlock;
  for (std::uint64_t begin = 0; begin < size; begin += block_size) {
    const std::uint64_t end = std::min(begin + block_size, size);
    const std::size_t tasks = (end - begin + kRowsPerTask - 1) / kRowsPerTask;
    pool.run(tasks, [&](std::size_t task, int) {
      const std::uint64_t first = begin + task * kRowsPerTask;
      make(WrittenRows{first, std::min(first + kRowsPerTask, end)}, task);
    });
    write(WrittenRows{begin, end}, tasks);
  }
}

}  // namespace

SynthWriter::SynthWriter(const SynthLaw& law, SynthSplit split, const std::string& folder,
                         ThreadPool& pool)
    : law_(law), split_(split) {
  const std::string name = split == SynthSplit::kTrain ? "train" : "test";
  const std::filesystem::path base(folder);
  if (law.options().as_text) {
    path_ = (base / (name + ".svm")).string();
    file_.emplace(path_);
    write_text(pool);
  } else {
    path_ = (base / ("X_" + name + ".npy")).string();
    file_.emplace(path_);
    labels_file_.emplace((base / ("y_" + name + ".npy")).string());
    write_matrix(pool);
  }
}

void SynthWriter::commit() {
  file_->commit();
  if (labels_file_) labels_file_->commit();
}

void SynthWriter::write_text(ThreadPool& pool) {
  std::vector<std::string> texts(kTasksPerBlock);
  for_each_block(
      law_.size(split_), pool,
      [&](WrittenRows examples, std::size_t task) {
        std::string& text = texts[task];
        text.clear();
        std::vector<float> row(law_.options().dimension);
        for (std::uint64_t example = examples.begin; example < examples.end; ++example) {
          const ClassId label = law_.label(split_, example);
          law_.features(split_, example, label, row);
          text += fmt::format("{}", label);
          for (std::size_t i = 0; i < row.size(); ++i) text += fmt::format(" {}:{}", i + 1, row[i]);
          text += '\n';
        }
      },
      [&](WrittenRows, std::size_t tasks) {
        for (std::size_t task = 0; task < tasks; ++task) {
          file_->write(texts[task]);
        }
      });
}

void SynthWriter::write_matrix(ThreadPool& pool) {
  const std::uint64_t size = law_.size(split_);
  const std::size_t dimension = law_.options().dimension;
  file_->write(npy_header("<f4", fmt::format("{}, {}", size, dimension)));
  labels_file_->write(npy_header("<i8", fmt::format("{},", size)));
  const std::uint64_t block_size = std::min(size, kRowsPerTask * kTasksPerBlock);
  std::vector<float> values(block_size * dimension);
  std::vector<std::int64_t> labels(block_size);
  for_each_block(
      size, pool,
      [&](WrittenRows examples, std::size_t task) {
        for (std::uint64_t example = examples.begin; example < examples.end; ++example) {
          const std::size_t place = task * kRowsPerTask + (example - examples.begin);
          const ClassId label = law_.label(split_, example);
          labels[place] = label;
          law_.features(split_, example, label,
                        std::span(values).subspan(place * dimension, dimension));
        }
      },
      [&](WrittenRows examples, std::size_t) {
        const std::size_t count = examples.end - examples.begin;
        file_->write(std::as_bytes(std::span(values).first(count * dimension)));
        labels_file_->write(std::as_bytes(std::span(labels).first(count)));
      });
}

}  // namespace cane
