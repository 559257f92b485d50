// A trained model: the class tree, the weights, the labels and all training options. Immutable and
// cheap to copy; copies share the weights, which a loaded model maps from its file.
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
  /// Writes one safetensors file: to a temporary file in the same folder, which is then renamed.
  void save(const std::string& path) const;

  std::size_t classes() const;
  std::size_t dimension() const;
  const std::vector<std::string>& labels() const;
  const TrainConfig& config() const;
  /// If false, scores only rank the classes.
  bool has_probabilities() const;
  /// Whether the weights are stored in 8 or 16 bits, for prediction only: see quantize().
  bool is_quantized() const;
  /// Total size of the weights.
  std::size_t weight_bytes() const;
  /// The output of `cane inspect`: one name and value per line.
  std::vector<std::pair<std::string, std::string>> description() const;

  /// For the library's own use.
  const ModelData& data() const { return *data_; }
  explicit Model(std::shared_ptr<const ModelData> data) : data_(std::move(data)) {}

 private:
  std::shared_ptr<const ModelData> data_;
};

}  // namespace cane
