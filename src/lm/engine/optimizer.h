// SGD, AdaGrad and Adam for dense parameters and for rows of tables. Only those rows of a table
// that have a gradient are touched. For AdaGrad this equals an update of the whole table; Adam is
// lazy: the moments of a row do not change while it has no gradient. Rate and step are tensors on
// the device, and no step waits for the device, so steps can be recorded and replayed.
#pragma once

#include <torch/torch.h>

#include <map>
#include <string>
#include <vector>

#include "lm/engine/language_model.h"

namespace cane::lm {

class RowOptimizer {
 public:
  /// `clip` bounds the norm of the gradient over all parameters and rows together; 0 means no
  /// bound.
  RowOptimizer(UpdateRule rule, double rate, double clip, torch::Device device);

  /// Tensors must be float32 and contiguous, here and below.
  void add_parameter(const std::string& name, const torch::Tensor& parameter);
  void add_table(const std::string& name, const torch::Tensor& table);

  double rate() const { return host_rate_; }
  void set_rate(double rate);

  /// Applies the gradients of the parameters and `rows`, and clears the former. `step` counts from
  /// zero. Every table must have been added.
  void update(std::vector<RowGradient> rows, const torch::Tensor& step);

  /// State tensors by name, for checkpoints, which copy into them.
  std::map<std::string, torch::Tensor> state() const;

 private:
  struct Slot {
    std::string name;
    torch::Tensor values;
    torch::Tensor first;   // Adam: mean of gradients
    torch::Tensor second;  // AdaGrad: sum of squares; Adam: mean of squares
  };

  /// A table or parameter with its gradient: of all rows, if `rows` is undefined.
  struct Change {
    Slot slot;
    torch::Tensor rows;      // distinct
    torch::Tensor gradient;  // as the rows, or flat
  };
  /// The factors of a step, each one float32 on the device.
  struct Factors {
    torch::Tensor scale;    // on the gradient
    torch::Tensor rate;     // Adam: with the bias of both moments
    torch::Tensor epsilon;  // Adam: with that of the second
  };

  static void repeat_for_unused_places(Change& change);
  Factors factors_of(const std::vector<Change>& changes, const torch::Tensor& step) const;
  void apply(const Factors& factors, const Change& change) const;
  void update(const Factors& factors, const torch::Tensor& gradient, const Slot& part) const;
  Slot make_slot(const std::string& name, const torch::Tensor& values) const;
  Slot& slot_of(const torch::Tensor& table);

  UpdateRule rule_;
  double clip_;
  double host_rate_;
  torch::Tensor rate_;
  std::vector<Slot> parameters_;
  std::vector<Slot> tables_;
};

/// The optimiser of a model: dense updates of its parameters, row updates of its tables. Throws
/// Error if the moments do not fit into memory.
RowOptimizer make_optimizer(const LanguageModel& model, const LmTrainOptions& options);

}  // namespace cane::lm
