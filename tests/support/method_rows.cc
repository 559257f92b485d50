#include "support/method_rows.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "cane/names.h"
#include "methods/selector_table.h"

namespace cane::testing {
namespace {

using Parts = std::vector<std::string>;

/// The parts of a row in a fixed order, so that a value stands for its kind of part, too.
Parts parts_of(const TrainConfig& config) {
  Parts parts{std::string(name_of(config.method)),    std::string(name_of(config.select)),
              std::string(name_of(config.noise)),     std::string(name_of(config.noise_terms)),
              std::string(name_of(config.scorer)),    std::string(name_of(config.encoder)),
              std::string(name_of(config.optimizer)), config.tree};
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i] = std::to_string(i) + " " + parts[i];
  return parts;
}

Parts pairs_of(const TrainConfig& config) {
  Parts pairs;
  const Parts parts = parts_of(config);
  for (auto first = parts.begin(); first != parts.end(); ++first) {
    for (auto second = first + 1; second != parts.end(); ++second) {
      pairs.push_back(*first + ", " + *second);
    }
  }
  return pairs;
}

/// Rows that together have everything that all rows have: again and again the row with most that is
/// still missing.
std::vector<MethodRow> cover(const std::vector<MethodRow>& rows,
                             Parts (*wanted_of)(const TrainConfig& config)) {
  std::vector<MethodRow> chosen;
  std::set<std::string> covered;
  const auto missing = [&](const MethodRow& row) {
    return std::ranges::count_if(wanted_of(row.config),
                                 [&](const auto& one) { return !covered.contains(one); });
  };
  while (true) {
    const auto best = std::ranges::max_element(rows, {}, missing);
    if (best == rows.end() || missing(*best) == 0) return chosen;
    chosen.push_back(*best);
    for (std::string& one : wanted_of(best->config)) covered.insert(std::move(one));
  }
}

std::vector<MethodRow> all_method_rows() {
  std::vector<MethodRow> rows;
  const auto add = [&](const char* name, auto change) {
    MethodRow row;
    row.name = name;
    row.config.method = Method::kCane;
    row.config.arity = 4;
    change(row.config);
    const auto& selector = row_of(row.config.select);
    if (row.config.method == Method::kCane && (!selector.is_shared || selector.shares_frequent)) {
      row.config.candidates = 5;
    }
    rows.push_back(row);
  };
  const auto cane = [&](const char* name, SelectorKind select, NoiseKind noise,
                        ScorerKind scorer = ScorerKind::kAuto) {
    add(name, [&](TrainConfig& config) {
      config.select = select;
      config.noise = noise;
      config.noises = 2;
      config.scorer = scorer;
      config.rank = 6;
    });
  };
  add("softmax", [](TrainConfig& c) { c.method = Method::kSoftmax; });
  add("softmax_adagrad", [](TrainConfig& c) {
    c.method = Method::kSoftmax;
    c.optimizer = OptimizerKind::kAdagrad;
  });
  add("nce", [](TrainConfig& c) { c.method = Method::kNce; });
  add("nce_uniform", [](TrainConfig& c) {
    c.method = Method::kNce;
    c.noise = NoiseKind::kUniform;
  });
  add("neg", [](TrainConfig& c) { c.method = Method::kNeg; });
  add("blackout", [](TrainConfig& c) { c.method = Method::kBlackout; });
  add("blackout_uniform", [](TrainConfig& c) {
    c.method = Method::kBlackout;
    c.noise = NoiseKind::kUniform;
  });
  add("ove", [](TrainConfig& c) { c.method = Method::kOve; });
  add("css", [](TrainConfig& c) { c.method = Method::kCss; });
  add("hsm", [](TrainConfig& c) { c.method = Method::kHsm; });
  add("hsm_huffman", [](TrainConfig& c) {
    c.method = Method::kHsm;
    c.tree = "huffman";
  });
  cane("beam", SelectorKind::kBeam, NoiseKind::kUniform);
  cane("beam_unigram", SelectorKind::kBeam, NoiseKind::kUnigram);
  cane("narrow", SelectorKind::kNarrow, NoiseKind::kProposal);
  cane("narrow_uniform", SelectorKind::kNarrow, NoiseKind::kUniform);
  cane("narrow_unigram", SelectorKind::kNarrow, NoiseKind::kUnigram);
  cane("narrow_path", SelectorKind::kNarrow, NoiseKind::kProposal, ScorerKind::kPath);
  cane("tree", SelectorKind::kTree, NoiseKind::kProposal);
  cane("tree_uniform", SelectorKind::kTree, NoiseKind::kUniform);
  cane("tree_unigram", SelectorKind::kTree, NoiseKind::kUnigram);
  cane("tree_path", SelectorKind::kTree, NoiseKind::kProposal, ScorerKind::kPath);
  cane("prior", SelectorKind::kHsm, NoiseKind::kProposal);
  cane("prior_uniform", SelectorKind::kHsm, NoiseKind::kUniform);
  cane("centroid", SelectorKind::kCentroid, NoiseKind::kUniform);
  cane("centroid_unigram", SelectorKind::kCentroid, NoiseKind::kUnigram);
  const auto pooled = [&] {
    rows.back().config.noise_terms = NoiseTerms::kPooled;
    rows.back().config.noises = 4;
  };
  cane("narrow_pooled", SelectorKind::kNarrow, NoiseKind::kProposal);
  pooled();
  cane("beam_pooled", SelectorKind::kBeam, NoiseKind::kUnigram);
  pooled();
  const auto shared = [&](const char* name, SelectorKind select, NoiseKind noise) {
    add(name, [&](TrainConfig& config) {
      config.select = select;
      config.noise = noise;
      config.noises = 12;
    });
  };
  shared("none", SelectorKind::kNone, NoiseKind::kUnigram);
  shared("none_uniform", SelectorKind::kNone, NoiseKind::kUniform);
  shared("frequent", SelectorKind::kFrequent, NoiseKind::kUnigram);
  shared("batch", SelectorKind::kBatch, NoiseKind::kUniform);
  shared("none_adagrad", SelectorKind::kNone, NoiseKind::kUnigram);
  rows.back().config.optimizer = OptimizerKind::kAdagrad;
  cane("exact", SelectorKind::kExact, NoiseKind::kUniform);
  cane("exact_unigram", SelectorKind::kExact, NoiseKind::kUnigram);
  cane("exact_path", SelectorKind::kExact, NoiseKind::kUniform, ScorerKind::kPath);
  cane("all", SelectorKind::kAll, NoiseKind::kUniform);
  cane("all_path", SelectorKind::kAll, NoiseKind::kUniform, ScorerKind::kPath);
  const auto encoded = [&](const char* name, EncoderKind encoder, auto change) {
    add(name, [&](TrainConfig& config) {
      config.encoder = encoder;
      config.dim = 12;
      config.rank = 6;
      change(config);
    });
  };
  encoded("bag_softmax", EncoderKind::kBag,
          [](TrainConfig& config) { config.method = Method::kSoftmax; });
  encoded("bag_hsm", EncoderKind::kBag, [](TrainConfig& config) { config.method = Method::kHsm; });
  encoded("bag_nce", EncoderKind::kBag, [](TrainConfig& config) { config.method = Method::kNce; });
  encoded("bag_beam", EncoderKind::kBag,
          [](TrainConfig& config) { config.select = SelectorKind::kBeam; });
  encoded("bag_narrow", EncoderKind::kBag,
          [](TrainConfig& config) { config.select = SelectorKind::kNarrow; });
  encoded("bag_prior", EncoderKind::kBag,
          [](TrainConfig& config) { config.select = SelectorKind::kHsm; });
  encoded("mlp_prior", EncoderKind::kMlp, [](TrainConfig& config) {
    config.select = SelectorKind::kHsm;
    config.dim = 40;
  });
  encoded("bag_none", EncoderKind::kBag, [](TrainConfig& config) {
    config.select = SelectorKind::kNone;
    config.noises = 12;
  });
  encoded("bag_frequent", EncoderKind::kBag, [](TrainConfig& config) {
    config.select = SelectorKind::kFrequent;
    config.noises = 12;
  });
  encoded("mlp_batch", EncoderKind::kMlp, [](TrainConfig& config) {
    config.select = SelectorKind::kBatch;
    config.noises = 12;
    config.dim = 40;
    config.layers = 2;
    config.dropout = 0.1F;
  });
  encoded("bag_centroid", EncoderKind::kBag,
          [](TrainConfig& config) { config.select = SelectorKind::kCentroid; });
  encoded("mlp_softmax", EncoderKind::kMlp, [](TrainConfig& config) {
    config.method = Method::kSoftmax;
    config.dim = 40;
    config.layers = 2;
    config.dropout = 0.1F;
  });
  rows.back().accuracy = 0.4;
  const auto online = [&](const char* name, Method method, double accuracy, auto change) {
    add(name, [&](TrainConfig& config) {
      config.method = method;
      change(config);
    });
    rows.back().accuracy = accuracy;
  };
  online("filter_tree", Method::kFilterTree, 0.5, [](TrainConfig&) {});
  online("filter_tree_balanced", Method::kFilterTree, 0.3,
         [](TrainConfig& config) { config.tree = "balanced"; });
  online("lomtree", Method::kLomTree, 0.5, [](TrainConfig&) {});
  online("lomtree_full", Method::kLomTree, 0.3, [](TrainConfig& config) {
    config.nodes = 19;
    config.swap_resistance = 4;
  });
  online("recall_tree", Method::kRecallTree, 0.8,
         [](TrainConfig& config) { config.candidates = 6; });
  online("recall_tree_of_all", Method::kRecallTree, 0.8, [](TrainConfig&) {});
  const auto bag = [](TrainConfig& config) {
    config.encoder = EncoderKind::kBag;
    config.dim = 12;
  };
  const auto mlp = [](TrainConfig& config) {
    config.encoder = EncoderKind::kMlp;
    config.dim = 40;
    config.layers = 2;
    config.dropout = 0.1F;
  };
  online("bag_filter_tree", Method::kFilterTree, 0.3, bag);
  online("bag_lomtree", Method::kLomTree, 0.3, bag);
  online("bag_recall_tree", Method::kRecallTree, 0.3, [&](TrainConfig& config) {
    bag(config);
    config.candidates = 6;
  });
  online("mlp_filter_tree", Method::kFilterTree, 0.3, mlp);
  online("mlp_lomtree", Method::kLomTree, 0.3, mlp);
  online("mlp_recall_tree", Method::kRecallTree, 0.3, mlp);
  return rows;
}

std::string_view rows_wanted() {
  const char* const rows = std::getenv("CANE_TEST_ROWS");
  return rows == nullptr ? "all" : rows;
}

}  // namespace

bool only_a_cover() {
  return rows_wanted() != "all";
}

std::vector<MethodRow> method_rows() {
  // Twenty suites ask for them.
  static const std::vector<MethodRow> rows = [] {
    const std::string_view wanted = rows_wanted();
    if (wanted == "pairs") return cover(all_method_rows(), pairs_of);
    if (wanted == "parts") return cover(all_method_rows(), parts_of);
    if (wanted == "all") return all_method_rows();
    throw std::invalid_argument("CANE_TEST_ROWS is neither all nor pairs nor parts");
  }();
  return rows;
}

TrainConfig short_training(const MethodRow& row) {
  TrainConfig config = row.config;
  config.epochs = 2;
  config.threads = 2;
  config.deterministic = true;
  if (config.method == Method::kOve) config.lr = 0.01F;
  return config;
}

}  // namespace cane::testing
