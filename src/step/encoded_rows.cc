#include "step/encoded_rows.h"

#include <algorithm>

namespace cane {
namespace {

// Of an example that is kept, single steps are left out below this share of the least.
constexpr float kShareOfLeast = 0.25F;

}  // namespace

EncodedRows::EncodedRows(const DatasetView& data, const EncoderParts& parts)
    : data_(data), parts_(parts) {
  if (parts.encoder == nullptr) return;
  for (std::size_t layer = 0; layer < parts.encoder->layers(); ++layer) {
    gradients_.emplace_back(parts.encoder->layout(layer));
  }
}

std::span<const RowView> EncodedRows::gather(std::span<const std::uint32_t> examples,
                                             bool want_dense, const CounterRandom& random) {
  if (parts_.encoder == nullptr) return encoded_ = gathered_.gather(data_, examples, want_dense);
  examples_ = examples;
  epoch_ = random.epoch();
  const Encoder::Dropout dropout = {
      CounterRandom(parts_.seed, RandomPurpose::kDropout, random.epoch()), examples};
  return encoded_ = parts_.encoder->encode(gathered_.gather(data_, examples), workspace_, &dropout);
}

void EncodedRows::back(GradientParts& classes, GradientParts* proposal,
                       std::vector<TableGradient>& gradients) {
  if (parts_.encoder == nullptr) return;
  const bool leaves_out = parts_.least_step > 0.0F;
  if (leaves_out) leave_out(classes, proposal);
  steps_.assign(encoded_.size() * parts_.classes.layout->dimension(), 0.0F);
  add_steps(classes, parts_.classes);
  if (proposal != nullptr) add_steps(*proposal, parts_.proposal);
  back(steps_, gradients);
  if (!leaves_out) return;
  // The steps behind the others are scaled already.
  for (float& factor : factors_) factor = std::min(factor, 1.0F);
  for (GradientParts& layer : gradients_) layer.scale_examples(factors_);
}

void EncodedRows::leave_out(GradientParts& classes, GradientParts* proposal) {
  const CounterRandom random(parts_.seed, RandomPurpose::kExamples, epoch_);
  factors_.assign(encoded_.size(), 0.0F);
  classes.raise_to_longest(factors_);
  if (proposal != nullptr) proposal->raise_to_longest(factors_);
  const float least = parts_.least_step;
  for (std::size_t e = 0; e < factors_.size(); ++e) {
    factors_[e] = kept_factor(random, examples_[e], factors_[e], least);
  }
  std::uint32_t draws = 1;
  for (GradientParts* parts : {&classes, proposal}) {
    if (parts == nullptr) continue;
    parts->scale_examples(factors_);
    parts->thin(kShareOfLeast * least,
                [&] { return static_cast<float>(random.uniform(examples_[0], draws++)); });
  }
}

void EncodedRows::add_steps(const GradientParts& parts, const ScoringTable& table) {
  const std::size_t dim = table.layout->dimension();
  for (std::size_t part = 0; part < parts.parts().size(); ++part) {
    const auto [example, node] = parts.parts()[part];
    const BackTask task = {parts.steps(part), steps_.data() + example * dim};
    back_block(table.weights + table.layout->offset(node), table.layout->shape(node),
               std::span(&task, 1));
  }
}

void EncodedRows::back(std::span<const float> steps, std::vector<TableGradient>& gradients) {
  for (GradientParts& layer : gradients_) layer.clear();
  parts_.encoder->back(steps.data(), steps.size() / encoded_.size(), workspace_, gradients_);
  for (std::size_t layer = 0; layer < gradients_.size(); ++layer) {
    gradients.push_back({parts_.first_table + layer, &gradients_[layer],
                         layer == 0 ? gathered_.rows() : workspace_.layers[layer - 1].rows});
  }
}

}  // namespace cane
