#include "layer/noise_law.h"

#include "core/noise/unigram_noise.h"

namespace cane::layer {

NoiseLaw::NoiseLaw(std::span<const std::uint64_t> counts, float power,
                   const std::vector<bool>& excluded, torch::Device device) {
  std::vector<double> outcome_masses;
  std::vector<std::int32_t> classes;
  std::vector<float> masses(counts.size(), 0.0F);
  double total = 0.0;
  const std::vector<double> all_masses = power_masses(counts, power);
  for (std::size_t id = 0; id < counts.size(); ++id) {
    if (excluded[id]) continue;
    outcome_masses.push_back(all_masses[id]);
    classes.push_back(static_cast<std::int32_t>(id));
    total += outcome_masses.back();
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    masses[static_cast<std::size_t>(classes[i])] = static_cast<float>(outcome_masses[i] / total);
  }
  cells_ = classes.empty() ? torch::empty({0}, torch::kUInt8).to(device)
                           : to_bytes(AliasTable(outcome_masses, total).cells(), device);
  words_ = torch::tensor(classes, torch::kInt32).to(device);
  masses_ = torch::tensor(masses, torch::kFloat32).to(device);
}

kernels::LawView NoiseLaw::view() const {
  kernels::LawView view;
  view.outcomes = static_cast<std::uint64_t>(words_.numel());
  if (view.outcomes > 0) view.cells = static_cast<const AliasCell*>(cells_.data_ptr());
  view.classes = words_.data_ptr<std::int32_t>();
  view.masses = masses_.data_ptr<float>();
  return view;
}

}  // namespace cane::layer
