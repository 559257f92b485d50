#include "engine/device_training.h"

#include <fmt/format.h>

#include <utility>

#include "cane/error.h"
#include "core/base/memory.h"
#include "device/open_device.h"
#include "engine/describe_model.h"
#include "methods/device.h"
#include "train/device/device_executor.h"
#include "train/device/learner_spec.h"
#include "train/device/row_feed.h"

namespace cane {
namespace {

// Left free on a device: what its driver and other programs take meanwhile.
constexpr double kUsable = 0.95;

struct Plan {
  Feed feed = Feed::kStreamed;
  std::uint64_t needed_bytes = 0;
  bool fits = false;
};

// All examples stay on the device if they fit, and if what the host needs to bring them there in
// one piece is not too much for it.
Plan plan_memory(const device::OpenDevice& device, const SpecOfModel& spec,
                 const DatasetView& data) {
  return device::on_device(device.option, [&] {
    const auto usable =
        static_cast<std::uint64_t>(kUsable * static_cast<double>(device.facts.free_memory));
    const std::uint64_t kept = device.plugin->needed_bytes(spec.spec(true));
    const std::uint64_t copied = bytes_to_keep(data);
    if (kept <= usable && (copied == 0 || !is_large(copied))) return Plan{Feed::kKept, kept, true};
    const std::uint64_t streamed = device.plugin->needed_bytes(spec.spec(false));
    return Plan{Feed::kStreamed, streamed, streamed <= usable};
  });
}

std::string too_small(const device::OpenDevice& device, const Plan& plan) {
  return fmt::format(
      "`{}`: training needs {} there, with the examples streamed, and {} of the {} of the {} are "
      "free; use a smaller `batch`, fewer features (`min_count`, `hash_bits`), `optimizer sgd`, a "
      "larger GPU, or `device cpu`",
      device.option, bytes_as_text(plan.needed_bytes), bytes_as_text(device.facts.free_memory),
      bytes_as_text(device.facts.memory), device.facts.name);
}

}  // namespace

void check_device(const TrainConfig& config, const DatasetView& data, std::uint32_t classes,
                  bool is_new) {
  if (!trains_on_device(config)) return;
  if (is_new) resolve(config, facts_of(data, classes));
  device::open_device(config.device);
}

DeviceEstimate estimate_device(const ModelData& model, const DatasetView& data) {
  DeviceEstimate estimate;
  try {
    const device::OpenDevice device = device::open_device(model.config.device);
    const SpecOfModel spec(model, data);
    const Plan plan = plan_memory(device, spec, data);
    estimate.name = device.facts.name;
    estimate.needed_bytes = plan.needed_bytes;
    estimate.free_bytes = device.facts.free_memory;
    estimate.total_bytes = device.facts.memory;
    estimate.keeps_data = plan.feed == Feed::kKept;
    if (!plan.fits) estimate.problem = too_small(device, plan);
  } catch (const DeviceError& error) {
    estimate.problem = error.what();
  }
  return estimate;
}

std::unique_ptr<Trainer> make_device_trainer(const ModelData& model, const DatasetView& data,
                                             RowCopy* window, TrainState& state,
                                             const RunContext& context) {
  const device::OpenDevice device = device::open_device(model.config.device);
  const SpecOfModel spec(model, data);
  const Plan plan = plan_memory(device, spec, data);
  if (!plan.fits) throw DeviceError(too_small(device, plan));
  context.observer().on_message(fmt::format(
      "{} is {}: {} of its {} free are needed; the examples {}", device.option, device.facts.name,
      bytes_as_text(plan.needed_bytes), bytes_as_text(device.facts.free_memory),
      plan.feed == Feed::kKept ? "stay there" : "are streamed"));
  const bool is_kept = plan.feed == Feed::kKept;
  auto learner = device::on_device(device.option, [&] {
    return device.plugin->make_learner(spec.spec(is_kept, state), device.number);
  });
  if (is_kept) window = nullptr;
  auto executor =
      std::make_unique<DeviceExecutor>(model, window != nullptr ? window->view() : data, plan.feed,
                                       state, context.pool(), std::move(learner), device.option);
  return std::make_unique<Trainer>(model, data, window, state, context.pool(), std::move(executor));
}

}  // namespace cane
