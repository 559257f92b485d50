#include "engine/device_training.h"

#include <fmt/format.h>

#include <utility>

#include "cane/error.h"
#include "core/base/memory.h"
#include "device/open_device.h"
#include "engine/describe_model.h"
#include "engine/parts.h"
#include "methods/device.h"
#include "train/device/device_executor.h"
#include "train/device/learner_spec.h"

namespace cane {
namespace {

// Left free on a device: what its driver and other programs take meanwhile.
constexpr double kUsable = 0.95;

struct Plan {
  device::LearnerSpec spec;
  std::uint64_t needed_bytes = 0;
  bool fits = false;

  bool keeps_data() const { return spec.kept_examples > 0; }
};

// All examples stay on the device if they fit.
Plan plan_memory(const device::OpenDevice& device, const device::LearnerSpec& spec,
                 const DatasetView& data) {
  return device::on_device(device.option, [&] {
    const auto usable =
        static_cast<std::uint64_t>(kUsable * static_cast<double>(device.facts.free_memory));
    const device::LearnerSpec keeps = keeping(spec, data);
    const std::uint64_t kept = device.plugin->needed_bytes(keeps);
    if (kept <= usable) return Plan{keeps, kept, true};
    const std::uint64_t streamed = device.plugin->needed_bytes(spec);
    return Plan{spec, streamed, streamed <= usable};
  });
}

std::unique_ptr<ListFeed> make_lists(const ModelData& model) {
  const ListMaker::Rules rules = make_list_rules(model);
  return std::make_unique<ListFeed>(make_slot_law(model, rules), rules,
                                    static_cast<std::uint32_t>(model.vocabulary.labels.size()),
                                    model.config.seed);
}

device::LearnerSpec spec_of(const ModelData& model, const DatasetView& data,
                            const ListFeed& lists) {
  if (!model.tables[kClassTable].layout.is_row_major()) {
    throw OptionError("device",
                      fmt::format("{} needs the weights of a class side by side, and this model "
                                  "was made for sparse rows",
                                  model.config.device),
                      "use `device cpu`");
  }
  return learner_spec(model, data, lists.most_columns(model.config.batch));
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
    const Plan plan = plan_memory(device, spec_of(model, data, *make_lists(model)), data);
    estimate.name = device.facts.name;
    estimate.needed_bytes = plan.needed_bytes;
    estimate.free_bytes = device.facts.free_memory;
    estimate.total_bytes = device.facts.memory;
    estimate.keeps_data = plan.keeps_data();
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
  auto lists = make_lists(model);
  const Plan plan = plan_memory(device, spec_of(model, data, *lists), data);
  if (!plan.fits) throw DeviceError(too_small(device, plan));
  context.observer().on_message(fmt::format(
      "{} is {}: {} of its {} free are needed; the examples {}", device.option, device.facts.name,
      bytes_as_text(plan.needed_bytes), bytes_as_text(device.facts.free_memory),
      plan.keeps_data() ? "stay there" : "are streamed"));
  const device::LearnerSpec spec = with_rates(plan.spec, model, state);
  auto learner = device::on_device(
      device.option, [&] { return device.plugin->make_learner(spec, device.number); });
  if (plan.keeps_data()) window = nullptr;
  auto executor = std::make_unique<DeviceExecutor>(
      model, window != nullptr ? window->view() : data,
      DeviceExecutor::Parts{spec, std::move(learner), std::move(lists), device.option}, state,
      context.pool());
  return std::make_unique<Trainer>(model, data, window, state, context.pool(), std::move(executor));
}

}  // namespace cane
