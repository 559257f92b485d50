// The step of the methods that score a few classes of an example: cane, and those that tell the
// label from noises. A sampler moves 4 (D + 1) (1 + noises) bytes of weights three times for each
// example: with D = 144 and 20 noises 37 kB, 9 us for 1,024 examples at 4.3 TB/s; cane as many for
// its beam once and for candidates and noises twice more.
#pragma once

#include <algorithm>
#include <variant>
#include <vector>

#include "device/parts/embedding_layer.h"
#include "device/parts/narrow_proposal.h"
#include "device/parts/tree_proposal.h"
#include "methods/with_objective.h"

namespace cane::device {

/// The fixed noise law of a spec in the memory of a device.
template <typename Backend>
class LawStore {
 public:
  LawStore() = default;
  LawStore(Backend& backend, const LearnerSpec& spec) : law_{spec.classes} {
    if (!row_of(spec.noise).uses_power) return;
    std::vector<double> masses(spec.noise_masses, spec.noise_masses + spec.classes);
    double total = 0.0;
    for (const double mass : masses) total += mass;
    std::vector<double> through;
    double sum = 0.0;
    for (double& mass : masses) {
      mass /= total;
      through.push_back(sum += mass);
    }
    masses_ = copied(backend, masses.data(), masses.size());
    through_ = copied(backend, through.data(), through.size());
    law_.masses = masses_.data();
    law_.through = through_.data();
  }
  const FixedLaw& law() const { return law_; }

 private:
  FixedLaw law_;
  Array<double> masses_;
  Array<double> through_;
};

template <typename Backend>
class ShortlistLayer {
 public:
  /// `projection` and `proposal` are read by cane alone.
  ShortlistLayer(Backend& backend, const LearnerSpec& spec, const RowTable& classes,
                 const EmbeddingTable& projection, const RowTable& proposal, const TreeView& tree,
                 bool has_sparse_inputs, std::uint64_t most_scores)
      : method_(spec.method),
        classes_(classes),
        clip_(spec.clip),
        has_candidates_(row_of(spec.method).has_candidates),
        draws_from_proposal_(row_of(spec.noise).is_proposal),
        law_(backend, spec) {
    lists_.candidates = has_candidates_ ? spec.candidates : 1;
    lists_.noises = lists_.candidates < spec.classes || !has_candidates_ ? spec.noises : 0;
    const std::uint64_t batch = spec.batch;
    class_ids_ = Array<std::uint32_t>(backend, batch * lists_.size());
    values_ = Array<float>(backend, batch * lists_.size());
    log_q_ = Array<float>(backend, batch * lists_.noises);
    label_log_q_ = Array<float>(backend, batch);
    label_at_ = Array<std::uint32_t>(backend, batch);
    lists_.classes = class_ids_.data();
    lists_.log_q = log_q_.data();
    lists_.label_log_q = label_log_q_.data();
    lists_.label_at = label_at_.data();
    backend.reserve_sort(class_ids_.size());
    if (!has_sparse_inputs) {
      pieces_ = PieceStore<Backend>(backend, class_ids_.size(), std::uint64_t{classes.width} + 1);
    }
    rows_without_noises_ = static_cast<float>(lists_.candidates);
    if (!has_candidates_) return;
    proposed_classes_ = Array<std::uint32_t>(backend, batch * spec.beam);
    proposed_scores_ = Array<float>(backend, batch * spec.beam);
    places_ = Array<std::uint32_t>(backend, batch * spec.beam);
    proposed_ = {spec.beam, proposed_classes_.data(), proposed_scores_.data()};
    projection_ = EmbeddingLayer<Backend>(backend, projection, spec.batch,
                                          has_sparse_inputs ? spec.batch_values : 0);
    if (row_of(spec.select).proposes_by_tree) {
      proposal_.template emplace<TreeProposal<Backend>>(backend, spec, proposal, tree,
                                                        projection_.outputs());
    } else {
      proposal_.template emplace<NarrowProposal<Backend>>(backend, spec, proposal,
                                                          projection_.outputs(), most_scores);
    }
    // Rows of the proposal are shorter.
    with_proposal([&](auto& used) {
      rows_without_noises_ =
          static_cast<float>(spec.beam) + static_cast<float>(used.rows_scored()) *
                                              static_cast<float>(spec.rank + 1) /
                                              static_cast<float>(class_width(spec) + 1);
    });
  }

  /// `gradient`: of the inputs, for an encoder; null: not wanted.
  void learn(const StepContext<Backend>& step, const Rows& inputs, float* gradient,
             std::uint64_t pitch) {
    const Entries entries = {lists_.size(), class_ids_.data(), values_.data()};
    if (has_candidates_) {
      select(step, inputs);
    } else {
      step.backend.template launch<Spread::kWarp>(
          step.places,
          DrawAgainstLabel{step.batch, lists_, law_.law(), row_of(method_).excludes_label});
      step.backend.template launch<Spread::kWarp>(class_ids_.size(),
                                                  ScoreEntry{inputs, classes_, entries});
    }
    with_objective(method_, law_.law().classes, [&](const auto& objective) {
      step.backend.template launch<Spread::kWarp>(
          step.places, Differentiate<std::remove_cvref_t<decltype(objective)>>{
                           objective, step.batch, inputs, lists_, values_.data(), clip_,
                           rows_without_noises_, step.results});
    });
    learn_entries(step, inputs, classes_, entries, pieces_, gradient, pitch);
    if (!has_candidates_) return;
    with_proposal([&](auto& proposal) {
      proposal.learn(step, projection_.gradient());
      projection_.learn(step, inputs, proposal.learning_places(step.places));
    });
  }

  const Shortlists& lists() const { return lists_; }
  const float* values() const { return values_.data(); }

 private:
  void select(const StepContext<Backend>& step, const Rows& inputs) {
    Backend& backend = step.backend;
    projection_.forward(step, inputs);
    with_proposal([&](auto& proposal) { proposal.propose(step, proposed_); });
    backend.template launch<Spread::kWarp>(
        proposed_classes_.size(),
        ScoreEntry{inputs, classes_, {proposed_.beam, proposed_.classes, proposed_.scores}});
    backend.template launch<Spread::kWarp>(
        step.places, KeepCandidates{step.batch, proposed_, lists_, values_.data(), places_.data()});
    if (draws_from_proposal_) {
      with_proposal([&](auto& proposal) { proposal.draw(step, lists_); });
    } else {
      backend.template launch<Spread::kWarp>(step.places,
                                             DrawOutside{step.batch, lists_, law_.law()});
    }
    if (lists_.noises == 0) return;
    backend.template launch<Spread::kWarp>(std::uint64_t{step.places} * lists_.noises,
                                           ScoreNoise{inputs, classes_, lists_, values_.data()});
  }

  template <typename Body>
  void with_proposal(const Body& body) {
    if (auto* narrow = std::get_if<NarrowProposal<Backend>>(&proposal_)) return body(*narrow);
    if (auto* tree = std::get_if<TreeProposal<Backend>>(&proposal_)) return body(*tree);
  }

  Method method_;
  RowTable classes_;
  float clip_;
  bool has_candidates_;
  bool draws_from_proposal_;
  LawStore<Backend> law_;
  Shortlists lists_;
  float rows_without_noises_ = 0.0F;
  Array<std::uint32_t> class_ids_;
  Array<float> values_;
  Array<float> log_q_;
  Array<float> label_log_q_;
  Array<std::uint32_t> label_at_;
  PieceStore<Backend> pieces_;
  Proposed proposed_;
  Array<std::uint32_t> proposed_classes_;
  Array<float> proposed_scores_;
  Array<std::uint32_t> places_;
  EmbeddingLayer<Backend> projection_;
  std::variant<std::monostate, NarrowProposal<Backend>, TreeProposal<Backend>> proposal_;
};

}  // namespace cane::device
