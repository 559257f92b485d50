// Chooses a learning rate to match the scale of the features, if the user gives none. An update on
// an example changes the score of a class on the same example by rate * (|x|^2 + 1) times its
// gradient, so the rate is a constant divided by the mean of |x|^2 + 1, or of what stands in its
// place where steps are whitened. The constant depends on the method.
#pragma once

#include <cstdint>
#include <memory>

#include "cane/config.h"
#include "data/rows/dataset_view.h"
#include "step/whitening.h"

namespace cane {

/// All options except the rate must be resolved. `whitening`: that of the data, where steps are
/// whitened; it is measured if it is not given.
float automatic_rate(const DatasetView& data, const TrainConfig& config, std::uint32_t classes,
                     std::shared_ptr<const Whitening> whitening = nullptr);

/// Factor of a device, which is a part of that rate: 1, except for AdaGrad's softmax over an
/// encoder, which steps once in a batch there, as shared lists do, and on the processor once in an
/// example.
float device_factor(const TrainConfig& config);

/// Factor on that rate once the initial weights are known. If the class means alone leave little of
/// the loss of a blind guess, the weights start near the optimum, and large steps would first move
/// away from it. Sparse rows of this density keep their rate: a step on words of one class disturbs
/// few others, and what the means of text leave is learned best with full steps.
float rate_factor(const TrainConfig& config, double density, double loss_share);

}  // namespace cane
