#include "cane/quantize.h"

#include <fmt/format.h>

#include <cmath>

#include "cane/error.h"
#include "model/quantized_model.h"

namespace cane {

QuantizeResult quantize(const Model& model, const QuantizeOptions& options) {
  if (options.bits != 8 && options.bits != 16) {
    throw Error(fmt::format("--bits: it must be 8 or 16, not {}", options.bits));
  }
  if (!(options.drop >= 0.0F) || !std::isfinite(options.drop)) {
    throw Error("--drop: it must be 0 or more");
  }
  QuantizedModel result = quantize_model(model.data(), {options.bits, options.drop});
  return {Model(std::make_shared<const ModelData>(std::move(result.model))), result.zeros};
}

}  // namespace cane
