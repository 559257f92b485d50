#include "layer/operators.h"

namespace cane::layer {

using torch::Tensor;

void require(bool holds, const char* operand, const char* what) {
  TORCH_CHECK(holds, "cane: ", operand, " ", what);
}

Tensor checked(const Tensor& tensor, const char* operand, torch::ScalarType type,
               std::int64_t dimensions) {
  TORCH_CHECK(tensor.scalar_type() == type, "cane: ", operand, " must be ", type, ", but is ",
              tensor.scalar_type());
  TORCH_CHECK(tensor.dim() == dimensions, "cane: ", operand, " must have ", dimensions,
              " dimensions, but has ", tensor.dim());
  return tensor.contiguous();
}

Tensor checked_classes(const Tensor& classes, const char* operand, std::int64_t dimensions) {
  return checked(classes, operand, torch::kInt32, dimensions);
}

void check_tables(const Tensor& hidden, const Tensor& weight, const Tensor& bias) {
  require(hidden.scalar_type() == torch::kFloat32 && hidden.dim() == 2, "hidden",
          "must be a matrix of float32");
  require(weight.scalar_type() == torch::kFloat32 || weight.scalar_type() == torch::kBFloat16,
          "weight", "must be float32 or bfloat16");
  require(weight.dim() == 2 && weight.is_contiguous(), "weight", "must be a contiguous matrix");
  TORCH_CHECK(weight.size(1) == hidden.size(1), "cane: hidden has ", hidden.size(1),
              " features, but the rows of weight have ", weight.size(1));
  require(bias.scalar_type() == torch::kFloat32 && bias.is_contiguous() &&
              bias.numel() == weight.size(0),
          "bias", "must be float32, one for each row of weight");
  require(hidden.device() == weight.device() && hidden.device() == bias.device(), "hidden",
          "must be on the device of weight and bias");
}

Shortlists lists_of(const Tensor& own_classes, const Tensor& shared_classes,
                    std::int64_t own_noises, std::int64_t shared_noises) {
  Shortlists lists;
  lists.own_classes = checked_classes(own_classes, "own_classes", 2);
  lists.shape.examples = own_classes.size(0);
  lists.shape.own_noises = own_noises;
  lists.shape.own_candidates = own_classes.size(1) - 1 - own_noises;
  lists.shape.shared_noises = shared_noises;
  lists.shape.shared_candidates = shared_classes.size(0) - 1 - shared_noises;
  require(lists.shape.own_candidates >= 0, "own_noises", "exceed the places of own_classes");
  require(lists.shape.shared_candidates >= 0, "shared_noises", "exceed shared_classes");
  const std::int64_t padding = lists.shape.shared_columns() - shared_classes.size(0);
  const Tensor shared = checked_classes(shared_classes, "shared_classes", 1);
  lists.shared_classes =
      padding > 0 ? torch::constant_pad_nd(shared, {0, padding}, kernels::kNoClass) : shared;
  return lists;
}

}  // namespace cane::layer
