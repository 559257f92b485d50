#include "torch/heads/make_output_layer.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "torch/heads/adaptive_layer.h"
#include "torch/heads/softmax_layer.h"

namespace cane::lm {

std::shared_ptr<OutputLayer> make_output_layer(const HeadOptions& options,
                                               std::span<const std::uint64_t> counts,
                                               std::int64_t width, std::uint64_t /*seed*/,
                                               torch::Device device) {
  const auto words = static_cast<std::int64_t>(counts.size());
  std::shared_ptr<OutputLayer> layer;
  if (options.name == "softmax") layer = std::make_shared<SoftmaxLayer>(words, width);
  if (options.name == "adaptive") layer = std::make_shared<AdaptiveLayer>(words, width);
  if (layer == nullptr) {
    throw Error(fmt::format("--head: there is no '{}'; there are {}", options.name,
                            fmt::join(head_names(), ", ")));
  }
  layer->to(device);
  return layer;
}

}  // namespace cane::lm
