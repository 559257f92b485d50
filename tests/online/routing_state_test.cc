// A file with the tree of an online tree must be refused, whatever does not fit in it.
#include "online/routing_state.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <memory>
#include <string>

#include "cane/cane.h"
#include "model/model_data.h"
#include "model/model_file.h"
#include "support/error_text.h"
#include "support/training_files.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::TrainingFiles;

class RoutingStateTest : public ::testing::Test {
 protected:
  ModelData model(Method method, EncoderKind encoder = EncoderKind::kIdentity) const {
    TrainConfig config;
    config.method = method;
    config.encoder = encoder;
    config.epochs = 2;
    config.threads = 1;
    if (method == Method::kRecallTree) config.candidates = 5;
    return train(files_.train(), config).model.data();
  }

  /// The message with which the changed state is refused.
  std::string refusal(ModelData forged, const std::function<void(RoutingState&)>& change) const {
    auto state = std::make_shared<RoutingState>(routing_of(*forged.method_state));
    change(*state);
    forged.method_state = state;
    const std::string path = files_.folder().path("forged");
    write_model(path, forged);
    return testing::error_text([&] { Model::load(path); });
  }
  void expect_refused(const ModelData& forged, const std::function<void(RoutingState&)>& change,
                      const char* words) const {
    const std::string message = refusal(forged, change);
    EXPECT_THAT(message, ::testing::HasSubstr("forged: "));
    EXPECT_THAT(message, ::testing::HasSubstr(words));
  }
  static NodeId first_leaf(const RoutingState& state) {
    NodeId node = 0;
    while (!state.tree.is_leaf(node)) node = state.tree.child(node, false);
    return node;
  }

  TrainingFiles files_;
};

TEST_F(RoutingStateTest, KeepsEverything) {
  for (const Method method : {Method::kLomTree, Method::kRecallTree}) {
    const ModelData written = model(method);
    const std::string path = files_.folder().path("model");
    write_model(path, written);
    const ModelData read = read_model(SafetensorsFile(path));
    const RoutingState& a = routing_of(*written.method_state);
    const RoutingState& b = routing_of(*read.method_state);
    EXPECT_EQ(a.tree, b.tree);
    EXPECT_EQ(a.counts, b.counts);
    EXPECT_EQ(a.seen, b.seen);
    EXPECT_EQ(a.margins, b.margins);
    EXPECT_EQ(a.majorities, b.majorities);
    for (NodeId node = 0; node < a.tree.node_count(); ++node) {
      ASSERT_EQ(a.histograms[node].entries().size(), b.histograms[node].entries().size());
      for (const ClassEntry& entry : a.histograms[node].entries()) {
        const ClassEntry* other = b.histograms[node].find(entry.label);
        ASSERT_NE(other, nullptr);
        EXPECT_EQ(entry.count, other->count);
        EXPECT_EQ(entry.value, other->value);
      }
      ASSERT_EQ(a.histograms[node].top().size(), b.histograms[node].top().size());
      EXPECT_EQ(a.histograms[node].top_mass(), b.histograms[node].top_mass());
    }
  }
}

TEST_F(RoutingStateTest, ACountThatDoesNotAddUpIsRefused) {
  const ModelData lomtree = model(Method::kLomTree);
  expect_refused(
      lomtree, [](RoutingState& state) { state.counts[0] += 1.0; }, "children");
  expect_refused(
      lomtree, [](RoutingState& state) { state.counts[0] = -1.0; }, "count");
  expect_refused(
      lomtree, [](RoutingState& state) { state.seen[0] += 1.0; }, "classes'");
  expect_refused(
      lomtree,
      [](RoutingState& state) {
        const NodeId leaf = first_leaf(state);
        const ClassId other = (state.majorities[leaf] + 1) % 20;
        state.histograms[leaf].add(other, 1e6, 0);
        state.seen[leaf] += 1e6;
        for (NodeId node = leaf; node != RoutingTree::kNone; node = state.tree.parent(node)) {
          state.counts[node] += 1e6;
        }
      },
      "most frequent");
  const ModelData recall = model(Method::kRecallTree);
  expect_refused(
      recall,
      [](RoutingState& state) {
        state.histograms[0].add(3, 7.0, 5);
        state.seen[0] += 7.0;
      },
      "no class");
  expect_refused(
      recall,
      [](RoutingState& state) {
        const NodeId child = state.tree.child(0, true);
        state.histograms[child].add(3, 1e6, 5);
        state.seen[child] += 1e6;
        state.counts[child] += 1e6;
      },
      "children");
}

TEST_F(RoutingStateTest, AClassOrANumberThatIsNoneIsRefused) {
  for (const Method method : {Method::kLomTree, Method::kRecallTree}) {
    const ModelData data = model(method);
    expect_refused(
        data, [](RoutingState& state) { state.majorities[0] = 20; }, "predicts a class");
    expect_refused(
        data, [](RoutingState& state) { state.histograms[0].at(20); }, "class");
    expect_refused(
        data, [](RoutingState& state) { state.histograms[0].at(3).value = NAN; }, "no number");
    expect_refused(
        data, [](RoutingState& state) { state.margins[0] = INFINITY; }, "no number");
    expect_refused(
        data, [](RoutingState& state) { state.counts[0] = NAN; }, "count");
  }
}

TEST_F(RoutingStateTest, AnotherTreeThanThatOfTheOptionsIsRefused) {
  ModelData recall = model(Method::kRecallTree);
  expect_refused(
      recall,
      [](RoutingState& state) {
        state.tree = RoutingTree::full(2);
        state.resize();
      },
      "options");
  for (const std::uint32_t nodes : {30U, 1U << 30, 0xFFFFFFFFU}) {
    recall.config.nodes = nodes;
    expect_refused(
        recall, [](RoutingState&) {}, "nodes");
  }
  ModelData lomtree = model(Method::kLomTree);
  lomtree.config.nodes = 3;
  expect_refused(
      lomtree, [](RoutingState&) {}, "more nodes");
  lomtree.config.nodes = 1U << 30;
  expect_refused(
      lomtree, [](RoutingState&) {}, "weights");
  lomtree.config.nodes = 0;
  expect_refused(
      lomtree, [](RoutingState&) {}, "no nodes");
}

TEST_F(RoutingStateTest, AnEncoderThatIsNotThatOfTheOptionsIsRefused) {
  for (const Method method : {Method::kLomTree, Method::kRecallTree}) {
    ModelData encoded = model(method, EncoderKind::kBag);
    ModelData plain = model(method);
    encoded.config.encoder = EncoderKind::kIdentity;
    expect_refused(
        encoded, [](RoutingState&) {}, "weights");
    plain.config.encoder = EncoderKind::kBag;
    expect_refused(
        plain, [](RoutingState&) {}, "weights");
    encoded.config.encoder = EncoderKind::kMlp;
    encoded.config.layers = 2;
    expect_refused(
        encoded, [](RoutingState&) {}, "encoder.1");
    encoded.config.dim = 4096;
    expect_refused(
        encoded, [](RoutingState&) {}, "weights");
  }
}

TEST_F(RoutingStateTest, ATournamentThatIsNotBinaryIsRefused) {
  ModelData forged = model(Method::kFilterTree);
  TrainConfig config = TrainingFiles::config();
  forged.tree = train(files_.train(), config).model.data().tree;
  const std::string path = files_.folder().path("forged");
  write_model(path, forged);
  const std::string message = testing::error_text([&] { Model::load(path); });
  EXPECT_THAT(message, ::testing::HasSubstr("not binary"));
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
