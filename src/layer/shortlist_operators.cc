// The shortlist and its loss: the rest of step 2, and step 4 of operators.h.
#include <torch/csrc/autograd/custom_function.h>

#include "layer/dispatch.h"
#include "layer/operators.h"
#include "layer/sampled_loss.h"
#include "methods/method_table.h"

namespace cane::layer {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::tuple<Tensor, Tensor, Tensor, Tensor, Tensor> shortlist(
    const Tensor& target, const Tensor& own_candidates, const Tensor& shared_candidates,
    const Tensor& visible_after, const Tensor& own_noises, const Tensor& shared_noises,
    const Tensor& column_of_class, const Tensor& masses, const c10::optional<Tensor>& log_q,
    const std::string& method) {
  const PlainTensors plain;
  const MethodRow& row = row_of(sampled_method("method", method));
  const Tensor labels = checked(target, "target", torch::kInt64, 1);
  const Tensor seen_after = checked_classes(visible_after, "visible_after", 1);
  const Tensor columns = checked_classes(column_of_class, "column_of_class", 1);
  const Tensor law = checked(masses, "masses", torch::kFloat32, 1);
  require(row.has_candidates || own_candidates.size(1) + shared_candidates.numel() == 0,
          "own_candidates", "and shared_candidates must be empty for a method without candidates");
  const Tensor place =
      torch::full({labels.size(0), 1}, kernels::kNoClass, labels.options().dtype(torch::kInt32));
  const Tensor own = torch::cat({checked_classes(own_candidates, "own_candidates", 2), place,
                                 checked_classes(own_noises, "own_noises", 2)},
                                1);
  const Tensor shared = torch::cat({checked_classes(shared_candidates, "shared_candidates", 1),
                                    torch::full({1}, kernels::kNoClass, place.options()),
                                    checked_classes(shared_noises, "shared_noises", 1)});
  Shortlists lists = lists_of(own, shared, own_noises.size(1), shared_noises.size(0));
  const kernels::ShortlistShape& shape = lists.shape;
  lists.streams = std::max<std::int64_t>(shape.examples, 1);
  lists.fixed = shape.shared_candidates - seen_after.numel();
  lists.visible_after = seen_after;
  const Tensor log_q_out = torch::empty({shape.examples, 1 + shape.noises()}, law.options());
  const Tensor label_at = torch::empty({shape.examples}, place.options());
  const Tensor drawn = torch::empty_like(label_at);
  Tensor given;
  kernels::AssembleArguments task;
  task.candidates = lists.candidates();
  task.classes = law.numel();
  task.labels = labels.data_ptr<std::int64_t>();
  task.own_classes = lists.own_classes.data_ptr<std::int32_t>();
  task.shared_classes = lists.shared_classes.data_ptr<std::int32_t>();
  task.law.masses = law.data_ptr<float>();
  task.log_q = log_q_out.data_ptr<float>();
  task.label_at = label_at.data_ptr<std::int32_t>();
  task.drawn = drawn.data_ptr<std::int32_t>();
  if (log_q.has_value()) {
    given = checked(*log_q, "log_q", torch::kFloat32, 2);
    require(given.sizes() == log_q_out.sizes(), "log_q", "must have a place for label and noises");
    task.given_log_q = given.data_ptr<float>();
  }
  if (shape.examples > 0 && row.has_candidates) {
    require(columns.numel() == task.classes, "column_of_class",
            "must have an entry for each class");
    task.candidates.column_of_class = columns.data_ptr<std::int32_t>();
    on_device::assemble(task, labels.device());
  } else if (shape.examples > 0) {
    on_device::assemble_labels(task, row.excludes_label, labels.device());
  }
  return {lists.own_classes, shared, log_q_out, label_at, drawn};
}

std::tuple<Tensor, Tensor> shortlist_loss(const Tensor& scores, const Tensor& visible_after,
                                          const Tensor& log_q, const Tensor& label_at,
                                          const Tensor& drawn, std::int64_t own_candidates,
                                          std::int64_t fixed, std::int64_t classes,
                                          const std::string& method) {
  const PlainTensors plain;
  Shortlists lists;
  lists.own_classes = torch::empty({0}, label_at.options());
  lists.visible_after = checked_classes(visible_after, "visible_after", 1);
  lists.log_q = checked(log_q, "log_q", torch::kFloat32, 2);
  lists.label_at = checked_classes(label_at, "label_at", 1);
  lists.drawn = checked_classes(drawn, "drawn", 1);
  lists.fixed = fixed;
  lists.shape.examples = scores.size(0);
  lists.shape.own_candidates = own_candidates;
  lists.shape.shared_candidates = fixed + visible_after.size(0);
  lists.shape.shared_noises = log_q.size(1) - 1;
  lists.streams = std::max<std::int64_t>(lists.shape.examples, 1);
  const Tensor gradient = checked(scores, "scores", torch::kFloat32, 2).clone();
  require(gradient.size(1) == lists.shape.stride(), "scores", "are of another shortlist");
  const Tensor losses = torch::empty({lists.shape.examples}, gradient.options());
  kernels::ObjectiveArguments task;
  task.candidates = lists.candidates();
  task.scores = gradient.data_ptr<float>();
  task.log_q = lists.log_q.data_ptr<float>();
  task.label_at = lists.label_at.data_ptr<std::int32_t>();
  task.drawn = lists.drawn.data_ptr<std::int32_t>();
  task.losses = losses.data_ptr<float>();
  if (lists.shape.examples > 0) {
    on_device::objective(sampled_method("method", method), static_cast<std::uint32_t>(classes),
                         task, scores.device());
  }
  return {losses, gradient};
}

std::tuple<Tensor, Tensor> call_shortlist_loss(const Tensor& scores, const Tensor& visible_after,
                                               const Tensor& log_q, const Tensor& label_at,
                                               const Tensor& drawn, std::int64_t own_candidates,
                                               std::int64_t fixed, std::int64_t classes,
                                               const std::string& method) {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("cane::shortlist_loss", "")
                             .typed<decltype(shortlist_loss)>();
  return op.call(scores, visible_after, log_q, label_at, drawn, own_candidates, fixed, classes,
                 method);
}

struct ShortlistLoss : torch::autograd::Function<ShortlistLoss> {
  static variable_list forward(AutogradContext* context, const Tensor& scores,
                               const Tensor& visible_after, const Tensor& log_q,
                               const Tensor& label_at, const Tensor& drawn,
                               std::int64_t own_candidates, std::int64_t fixed,
                               std::int64_t classes, const std::string& method) {
    const at::AutoDispatchBelowADInplaceOrView below;
    const auto [losses, gradient] = call_shortlist_loss(
        scores, visible_after, log_q, label_at, drawn, own_candidates, fixed, classes, method);
    context->save_for_backward({gradient});
    context->mark_non_differentiable({gradient});
    return {losses, gradient};
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "cane: the loss of a shortlist has no second derivative; take create_graph=False");
    const Tensor in_scores = gradients[0].unsqueeze(1) * context->get_saved_variables()[0];
    return {in_scores, {}, {}, {}, {}, {}, {}, {}, {}};
  }
};

std::tuple<Tensor, Tensor> shortlist_loss_autograd(const Tensor& scores,
                                                   const Tensor& visible_after, const Tensor& log_q,
                                                   const Tensor& label_at, const Tensor& drawn,
                                                   std::int64_t own_candidates, std::int64_t fixed,
                                                   std::int64_t classes,
                                                   const std::string& method) {
  const variable_list results = ShortlistLoss::apply(scores, visible_after, log_q, label_at, drawn,
                                                     own_candidates, fixed, classes, method);
  return {results[0], results[1]};
}

void implement_shortlists(torch::Library& library) {
  library.impl("shortlist", &shortlist);
  library.impl("shortlist_loss", &shortlist_loss);
}

}  // namespace
}  // namespace cane::layer

TORCH_LIBRARY_FRAGMENT(cane, library) {
  library.def(
      "shortlist(Tensor target, Tensor own_candidates, Tensor shared_candidates, "
      "Tensor visible_after, Tensor own_noises, Tensor shared_noises, Tensor column_of_class, "
      "Tensor masses, Tensor? log_q, str method) -> (Tensor, Tensor, Tensor, Tensor, Tensor)");
  library.def(
      "shortlist_loss(Tensor scores, Tensor visible_after, Tensor log_q, Tensor label_at, "
      "Tensor drawn, int own_candidates, int fixed, int classes, str method) -> (Tensor, Tensor)");
}

TORCH_LIBRARY_IMPL(cane, CPU, library) {
  cane::layer::implement_shortlists(library);
}
#ifdef CANE_TORCH_CUDA
TORCH_LIBRARY_IMPL(cane, CUDA, library) {
  cane::layer::implement_shortlists(library);
}
#endif
TORCH_LIBRARY_IMPL(cane, Autograd, library) {
  library.impl("shortlist_loss", &cane::layer::shortlist_loss_autograd);
}
