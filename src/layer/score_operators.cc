// Scores of shortlists with their backward, steps 3 and 5 of operators.h. The gradient of the class
// tables is either sparse or, where the caller gives buffers for rows, written there: sizes are
// then fixed, and neither autograd nor a compiler has to know about sparse tensors.
#include <torch/csrc/autograd/custom_function.h>
#include <torch/csrc/autograd/graph_task.h>

#include "layer/class_scores.h"
#include "layer/operators.h"

namespace cane::layer {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using MaybeTensor = c10::optional<Tensor>;

Tensor scores_operator(const Tensor& hidden, const Tensor& weight, const Tensor& bias,
                       const Tensor& own_classes, const Tensor& shared_classes,
                       std::int64_t own_noises, std::int64_t shared_noises,
                       const MaybeTensor& /*row_ids*/, const MaybeTensor& /*row_values*/,
                       const MaybeTensor& /*row_count*/) {
  const PlainTensors plain;
  check_tables(hidden, weight, bias);
  const Shortlists lists = lists_of(own_classes, shared_classes, own_noises, shared_noises);
  require(hidden.size(0) == lists.shape.examples, "own_classes",
          "must have a row for each example");
  const RowTables tables{weight, bias};
  if (lists.shape.examples == 0) return torch::empty({0, lists.shape.stride()}, hidden.options());
  return class_scores(hidden.contiguous(), tables, lists, shared_rows(tables, lists));
}

struct ScoreGradients {
  Tensor hidden;
  on_device::RowSums rows;  // as many as there are on a CPU, with -1 in unused places on a GPU
};

ScoreGradients score_gradients(const Tensor& gradient, const Tensor& hidden, const Tensor& weight,
                               const Tensor& bias, const Tensor& own_classes,
                               const Tensor& shared_classes, std::int64_t own_noises,
                               std::int64_t shared_noises) {
  const PlainTensors plain;
  const Shortlists lists = lists_of(own_classes, shared_classes, own_noises, shared_noises);
  if (lists.shape.examples == 0) {
    return {torch::zeros_like(hidden),
            {torch::empty({0}, own_classes.options().dtype(torch::kInt64)),
             torch::empty({0, widened_width(hidden.size(1))}, hidden.options())}};
  }
  const RowTables tables{weight, bias};
  const Tensor in_scores = checked(gradient, "gradient", torch::kFloat32, 2);
  const Tensor widened = widened_hidden(hidden.contiguous(), nullptr);
  return {hidden_gradient(in_scores, tables, lists, shared_rows(tables, lists)),
          row_sums(in_scores, widened, weight.size(0), lists)};
}

std::tuple<Tensor, Tensor, Tensor> scores_backward_operator(
    const Tensor& gradient, const Tensor& hidden, const Tensor& weight, const Tensor& bias,
    const Tensor& own_classes, const Tensor& shared_classes, std::int64_t own_noises,
    std::int64_t shared_noises) {
  const PlainTensors plain;
  const ScoreGradients sums = score_gradients(gradient, hidden, weight, bias, own_classes,
                                              shared_classes, own_noises, shared_noises);
  const std::int64_t shared_padding =
      lists_of(own_classes, shared_classes, own_noises, shared_noises).shared_classes.size(0);
  const std::int64_t shared = shared_classes.size(0) > 1 ? shared_padding : 0;
  const std::int64_t places = std::min(shared + own_classes.numel(), weight.size(0));
  const std::int64_t unused = places - sums.rows.rows.size(0);
  if (unused == 0) return {sums.hidden, sums.rows.rows, sums.rows.values};
  return {sums.hidden, torch::constant_pad_nd(sums.rows.rows, {0, unused}, -1),
          torch::constant_pad_nd(sums.rows.values, {0, 0, 0, unused}, 0)};
}

// Where all slots are full, the step is spoilt on purpose and can be seen: what does not fit would
// be lost without a word, and a GPU cannot say so without being waited for.
void record_rows(Tensor row_ids, Tensor row_values, Tensor row_count, const Tensor& rows,
                 const Tensor& values) {
  const PlainTensors plain;
  require(row_ids.dim() == 2 && row_ids.size(1) >= rows.size(0), "row_ids",
          "has too few places for this batch: reserve_rows() makes more");
  const std::int64_t slots = row_ids.size(0);
  require(!row_count.device().is_cpu() || row_count.item<std::int64_t>() < slots, "row_count",
          "has reached the slots: clear the row gradients, or reserve more slots for accumulation");
  const Tensor slot = row_count.clamp_max(slots - 1).reshape({1});
  const std::int64_t unused = row_ids.size(1) - rows.size(0);
  row_ids.index_copy_(0, slot, torch::constant_pad_nd(rows, {0, unused}, -1).unsqueeze(0));
  row_values.narrow(1, 0, rows.size(0)).index_copy_(0, slot, values.unsqueeze(0));
  if (row_count.is_cuda() && rows.size(0) > 0) {
    const Tensor spoilt =
        torch::full({}, std::numeric_limits<float>::quiet_NaN(), values.options());
    row_values.narrow(1, 0, 1).add_(
        torch::where(row_count >= slots, spoilt, torch::zeros_like(spoilt)));
  }
  row_count.add_(1);
}

template <typename Function>
auto operator_of(const char* name, Function* /*type*/) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Function>();
}

struct ClassScores : torch::autograd::Function<ClassScores> {
  static Tensor forward(AutogradContext* context, const Tensor& hidden, const Tensor& weight,
                        const Tensor& bias, const Tensor& own_classes, const Tensor& shared_classes,
                        std::int64_t own_noises, std::int64_t shared_noises,
                        const MaybeTensor& row_ids, const MaybeTensor& row_values,
                        const MaybeTensor& row_count) {
    const at::AutoDispatchBelowADInplaceOrView below;
    static const auto op = operator_of("cane::class_scores", &scores_operator);
    context->save_for_backward({hidden, weight, bias, own_classes, shared_classes});
    context->saved_data["own_noises"] = own_noises;
    context->saved_data["shared_noises"] = shared_noises;
    context->saved_data["records"] = row_ids.has_value();
    if (row_ids.has_value()) {
      // Not among the saved tensors: each backward changes them, which is no mistake here.
      context->saved_data["row_ids"] = *row_ids;
      context->saved_data["row_values"] = *row_values;
      context->saved_data["row_count"] = *row_count;
    }
    return op.call(hidden, weight, bias, own_classes, shared_classes, own_noises, shared_noises,
                   row_ids, row_values, row_count);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(),
                "cane: class scores have no second derivative; take create_graph=False");
    const auto saved = context->get_saved_variables();
    const std::int64_t own_noises = context->saved_data["own_noises"].toInt();
    const std::int64_t shared_noises = context->saved_data["shared_noises"].toInt();
    if (context->saved_data["records"].toBool()) {
      static const auto back =
          operator_of("cane::class_scores_backward", &scores_backward_operator);
      static const auto record = operator_of("cane::record_rows", &record_rows);
      const auto [hidden, rows, values] = back.call(gradients[0], saved[0], saved[1], saved[2],
                                                    saved[3], saved[4], own_noises, shared_noises);
      record.call(context->saved_data["row_ids"].toTensor(),
                  context->saved_data["row_values"].toTensor(),
                  context->saved_data["row_count"].toTensor(), rows, values);
      return {hidden, {}, {}, {}, {}, {}, {}, {}, {}, {}};
    }
    const ScoreGradients sums = score_gradients(gradients[0], saved[0], saved[1], saved[2],
                                                saved[3], saved[4], own_noises, shared_noises);
    return {sums.hidden,
            sparse(sums.rows, saved[1], 0, saved[1].size(1)),
            sparse(sums.rows, saved[2], saved[1].size(1), 1),
            {},
            {},
            {},
            {},
            {},
            {},
            {}};
  }

  // Unused places, which come last, repeat the first row with zeros, so that no row is touched
  // that the batch did not use.
  static Tensor sparse(const on_device::RowSums& sums, const Tensor& table, std::int64_t begin,
                       std::int64_t width) {
    const PlainTensors plain;
    const Tensor values = sums.values.narrow(1, begin, width)
                              .reshape(table.dim() == 1 ? std::vector<std::int64_t>{-1}
                                                        : std::vector<std::int64_t>{-1, width})
                              .to(table.scalar_type());
    Tensor rows = sums.rows;
    if (rows.is_cuda() && rows.size(0) > 0) {
      rows = torch::where(rows < 0, rows.narrow(0, 0, 1), rows).clamp_min(0);
    }
    return torch::_sparse_coo_tensor_unsafe(rows.unsqueeze(0), values, table.sizes());
  }
};

Tensor scores_autograd(const Tensor& hidden, const Tensor& weight, const Tensor& bias,
                       const Tensor& own_classes, const Tensor& shared_classes,
                       std::int64_t own_noises, std::int64_t shared_noises,
                       const MaybeTensor& row_ids, const MaybeTensor& row_values,
                       const MaybeTensor& row_count) {
  return ClassScores::apply(hidden, weight, bias, own_classes, shared_classes, own_noises,
                            shared_noises, row_ids, row_values, row_count);
}

bool is_in_backward() {
  return torch::autograd::get_current_graph_task_exec_info() != nullptr;
}

void implement_scores(torch::Library& library) {
  library.impl("class_scores", &scores_operator);
  library.impl("class_scores_backward", &scores_backward_operator);
  library.impl("record_rows", &record_rows);
}

}  // namespace
}  // namespace cane::layer

TORCH_LIBRARY_FRAGMENT(cane, library) {
  library.def(
      "class_scores(Tensor hidden, Tensor weight, Tensor bias, Tensor own_classes, "
      "Tensor shared_classes, int own_noises, int shared_noises, Tensor? row_ids, "
      "Tensor? row_values, Tensor? row_count) -> Tensor");
  library.def(
      "class_scores_backward(Tensor gradient, Tensor hidden, Tensor weight, Tensor bias, "
      "Tensor own_classes, Tensor shared_classes, int own_noises, int shared_noises) "
      "-> (Tensor, Tensor, Tensor)");
  library.def(
      "record_rows(Tensor(a!) row_ids, Tensor(b!) row_values, Tensor(c!) row_count, Tensor rows, "
      "Tensor values) -> ()");
  library.def("is_in_backward() -> bool", &cane::layer::is_in_backward);
}

TORCH_LIBRARY_IMPL(cane, CPU, library) {
  cane::layer::implement_scores(library);
}
#ifdef CANE_TORCH_CUDA
TORCH_LIBRARY_IMPL(cane, CUDA, library) {
  cane::layer::implement_scores(library);
}
#endif
TORCH_LIBRARY_IMPL(cane, Autograd, library) {
  library.impl("class_scores", &cane::layer::scores_autograd);
}
