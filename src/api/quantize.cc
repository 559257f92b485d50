#include "cane/quantize.h"

#include <fmt/format.h>

#include "cane/error.h"
#include "cane/fields.h"
#include "core/base/field_text.h"
#include "model/quantized_model.h"

namespace cane {

QuantizeResult quantize(const Model& model, const QuantizeOptions& options) {
  check_fields(options);
  if (options.bits != 8 && options.bits != 16) {
    throw OptionError("bits", fmt::format("it must be 8 or 16, not {}", options.bits));
  }
  QuantizedModel result = quantize_model(model.data(), {options.bits});
  check_file(model.data());
  return {Model(std::make_shared<const ModelData>(std::move(result.model))), result.zeros};
}

}  // namespace cane
