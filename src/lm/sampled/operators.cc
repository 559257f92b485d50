#include "lm/sampled/operators.h"

#include <torch/library.h>

#include "cane/error.h"
#include "lm/sampled/dispatch.h"
#include "lm/sampled/noise_law.h"
#include "lm/sampled/options.h"
#include "lm/sampled/sampled_loss.h"

namespace cane::lm {
namespace {

using torch::Tensor;

void require(bool holds, const char* what) {
  TORCH_CHECK(holds, "cane: ", what);
}

Tensor words_on(const Tensor& words, torch::Device device) {
  require(words.scalar_type() == torch::kInt32, "words must be int32");
  return words.to(device).contiguous();
}

Tensor columns_of_words(const Tensor& shared_candidates, std::int64_t words) {
  const Tensor columns =
      torch::full({words}, kNoColumn, shared_candidates.options().dtype(torch::kInt32));
  columns.index_copy_(0, shared_candidates.to(torch::kInt64),
                      torch::arange(shared_candidates.size(0), columns.options()));
  return columns;
}

std::tuple<Tensor, Tensor, Tensor> noise_law(const Tensor& counts, double power,
                                             const Tensor& excluded) {
  const Tensor host = counts.cpu().to(torch::kInt64).contiguous();
  const auto size = static_cast<std::size_t>(host.numel());
  const std::int64_t* begin = host.data_ptr<std::int64_t>();
  const std::vector<std::uint64_t> values(begin, begin + size);
  std::vector<bool> is_excluded(size, false);
  const Tensor words = excluded.cpu().to(torch::kInt64).contiguous();
  for (std::int64_t i = 0; i < words.numel(); ++i) {
    const std::int64_t word = words.data_ptr<std::int64_t>()[i];
    require(word >= 0 && word < host.numel(), "an excluded word is out of range");
    is_excluded[static_cast<std::size_t>(word)] = true;
  }
  const NoiseLaw law(values, static_cast<float>(power), is_excluded, counts.device());
  return {law.cells(), law.words(), law.masses()};
}

LawView law_of(const Tensor& cells, const Tensor& outcomes, const Tensor& masses) {
  LawView law;
  law.outcomes = static_cast<std::uint64_t>(outcomes.numel());
  require(cells.nbytes() == law.outcomes * sizeof(AliasCell), "cells are of another law");
  if (law.outcomes > 0) law.cells = static_cast<const AliasCell*>(cells.data_ptr());
  law.words = outcomes.data_ptr<std::int32_t>();
  law.masses = masses.data_ptr<float>();
  return law;
}

Tensor draw_noises(const Tensor& cells, const Tensor& outcomes, const Tensor& masses,
                   std::int64_t seed, const Tensor& step, std::int64_t tokens,
                   std::int64_t noises) {
  require(step.scalar_type() == torch::kInt64 && step.numel() == 1, "step must be one int64");
  DrawArguments task;
  task.law = law_of(cells, outcomes, masses);
  task.seed = static_cast<std::uint64_t>(seed);
  task.step = step.data_ptr<std::int64_t>();
  task.shape.tokens = std::max<std::int64_t>(tokens, 1);
  (tokens == 0 ? task.shape.shared_noises : task.shape.token_noises) = noises;
  const std::int64_t places = 1 + noises;  // the first is the label's
  const Tensor drawn = torch::empty({task.shape.tokens, places}, outcomes.options());
  task.shared_words = drawn.data_ptr<std::int32_t>();
  task.token_words = drawn.data_ptr<std::int32_t>();
  if (tokens == 0) {
    on_device::draw_shared_noises(task, drawn.device());
    return drawn[0].narrow(0, 1, noises).clone();
  }
  on_device::draw_token_noises(task, drawn.device());
  return drawn.narrow(1, 1, noises).contiguous();
}

Shortlists assemble(const Tensor& labels, const Tensor& token_candidates,
                    const Tensor& shared_candidates, const Tensor& token_noises,
                    const Tensor& shared_noises, const Tensor& column_of_word, const Tensor& masses,
                    Method kind) {
  const torch::Device device = labels.device();
  const Tensor flat = labels.reshape({-1}).contiguous();
  Shortlists lists;
  ShortlistShape& shape = lists.shape;
  shape.tokens = flat.numel();
  shape.token_candidates = token_candidates.size(-1);
  shape.shared_candidates = shared_candidates.numel();
  shape.token_noises = token_noises.size(-1);
  shape.shared_noises = shared_noises.numel();
  lists.fixed = shape.shared_candidates;
  const Tensor place = torch::full({shape.tokens, 1}, kNoWord, flat.options().dtype(torch::kInt32));
  lists.token_words =
      torch::cat({words_on(token_candidates, device).reshape({shape.tokens, -1}), place,
                  words_on(token_noises, device).reshape({shape.tokens, -1})},
                 1);
  lists.shared_words = torch::full({shape.shared_columns()}, kNoWord, place.options());
  lists.shared_words.narrow(0, 0, shape.shared_candidates)
      .copy_(words_on(shared_candidates, device));
  lists.shared_words.narrow(0, shape.shared_candidates + 1, shape.shared_noises)
      .copy_(words_on(shared_noises, device));
  const auto options = torch::TensorOptions().device(device);
  lists.log_q = torch::empty({shape.tokens, 1 + shape.noises()}, options);
  lists.label_at = torch::empty({shape.tokens}, options.dtype(torch::kInt32));
  lists.drawn = torch::empty_like(lists.label_at);
  AssembleArguments task;
  task.candidates = lists.candidates();
  task.words = masses.numel();
  task.labels = flat.data_ptr<std::int64_t>();
  task.token_words = lists.token_words.data_ptr<std::int32_t>();
  task.shared_words = lists.shared_words.data_ptr<std::int32_t>();
  task.law.masses = masses.data_ptr<float>();
  task.log_q = lists.log_q.data_ptr<float>();
  task.label_at = lists.label_at.data_ptr<std::int32_t>();
  task.drawn = lists.drawn.data_ptr<std::int32_t>();
  if (const MethodRow& method = row_of(kind); !method.has_candidates) {
    on_device::assemble_labels(task, method.excludes_label, device);
    return lists;
  }
  require(column_of_word.numel() == task.words, "column_of_word is of another vocabulary");
  task.candidates.column_of_word = column_of_word.data_ptr<std::int32_t>();
  on_device::assemble(task, device);
  return lists;
}

// The gradients are computed together with the loss, those of the tables as sparse tensors.
struct TableLoss : torch::autograd::Function<TableLoss> {
  static Tensor forward(torch::autograd::AutogradContext* context, const Tensor& hidden,
                        const Tensor& weight, const Tensor& bias, const Shortlists& lists,
                        Method kind) {
    const torch::AutoGradMode with_gradient(true);
    const Tensor rows =
        hidden.detach().reshape({-1, hidden.size(-1)}).to(torch::kFloat32).requires_grad_();
    const auto sink = std::make_shared<RowGradientSink>();
    const Tensor loss = sampled_loss(rows, {weight.detach(), bias.detach()}, {}, lists, kind, sink);
    loss.backward();
    // An unused place adds zero to row 0.
    const Tensor places = (*sink)[0].rows.clamp_min(0);
    context->save_for_backward({rows.grad().to(hidden.scalar_type()).view(hidden.sizes()), places,
                                (*sink)[0].values, (*sink)[1].values.squeeze(1)});
    context->saved_data["words"] = weight.size(0);
    return loss.detach();
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const std::int64_t words = context->saved_data["words"].toInt();
    const Tensor& scale = gradients[0];
    const Tensor indices = saved[1].unsqueeze(0);
    return {saved[0] * scale.to(saved[0].scalar_type()),
            torch::sparse_coo_tensor(indices, saved[2] * scale, {words, saved[2].size(1)}),
            torch::sparse_coo_tensor(indices, saved[3] * scale, {words}), Tensor(), Tensor()};
  }
};

void check_tables(const Tensor& weight, const Tensor& bias, const Tensor& masses) {
  require(weight.scalar_type() == torch::kFloat32 && weight.dim() == 2 && weight.is_contiguous(),
          "weight must be a contiguous matrix of float32");
  require(bias.scalar_type() == torch::kFloat32 && bias.numel() == weight.size(0),
          "bias must be float32, one for each word");
  require(masses.scalar_type() == torch::kFloat32 && masses.numel() == weight.size(0),
          "masses must be float32, one for each word");
}

Tensor candidates_loss(const Tensor& hidden, const Tensor& weight, const Tensor& bias,
                       const Tensor& labels, const Tensor& token_candidates,
                       const Tensor& shared_candidates, const Tensor& token_noises,
                       const Tensor& shared_noises, const Tensor& column_of_word,
                       const Tensor& masses) {
  check_tables(weight, bias, masses);
  constexpr Method kKind = Method::kCane;
  return TableLoss::apply(hidden, weight, bias,
                          assemble(labels, token_candidates, shared_candidates, token_noises,
                                   shared_noises, column_of_word, masses, kKind),
                          kKind);
}

Tensor label_loss(const Tensor& hidden, const Tensor& weight, const Tensor& bias,
                  const Tensor& labels, const Tensor& token_noises, const Tensor& shared_noises,
                  const Tensor& masses, const std::string& objective) {
  check_tables(weight, bias, masses);
  const Method method = parse_method(objective);
  require(!row_of(method).has_candidates, "label_loss: take candidates_loss for cane");
  const auto words = labels.options().dtype(torch::kInt32);
  const Tensor none = torch::empty({labels.numel(), 0}, words);
  return TableLoss::apply(hidden, weight, bias,
                          assemble(labels, none, torch::empty({0}, words), token_noises,
                                   shared_noises, {}, masses, method),
                          method);
}

}  // namespace

void register_operators() {}

}  // namespace cane::lm

TORCH_LIBRARY(cane, library) {
  library.def("columns_of_words", &cane::lm::columns_of_words);
  library.def("noise_law", &cane::lm::noise_law);
  library.def("draw_noises", &cane::lm::draw_noises);
  library.def("candidates_loss", &cane::lm::candidates_loss);
  library.def("label_loss", &cane::lm::label_loss);
}
