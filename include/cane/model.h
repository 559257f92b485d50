// A trained model: the tree of classes, the weights, the labels and all options it was trained
// with. Immutable and cheap to copy; copies share the weights, which a loaded model maps from its
// file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cane/config.h"

namespace cane {

struct ModelData;

class Model {
 public:
  /// Every size, checksum and tree link is verified; throws Error on a damaged file.
  static Model load(const std::string& path);
  /// One safetensors file, written beside its name first and then renamed.
  void save(const std::string& path) const;

  std::size_t classes() const;
  std::size_t dimension() const;
  const std::vector<std::string>& labels() const;
  const TrainConfig& config() const;
  /// False: scores only tell the order of the classes.
  bool has_probabilities() const;
  /// Weights in 8 or 16 bits, to predict with: see quantize().
  bool is_quantized() const;
  /// Of all weights.
  std::size_t weight_bytes() const;
  /// What `cane inspect` prints: a name and a value a line.
  std::vector<std::pair<std::string, std::string>> description() const;

  /// For the library's own use.
  const ModelData& data() const { return *data_; }
  explicit Model(std::shared_ptr<const ModelData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const ModelData> data_;
};

}  // namespace cane
