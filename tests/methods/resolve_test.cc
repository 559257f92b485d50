#include "methods/resolve.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <string>
#include <vector>

#include "cane/fields.h"
#include "cane/names.h"
#include "core/base/field_text.h"
#include "engine/describe_model.h"
#include "linear/weights/parameter_table.h"
#include "support/error_text.h"
#include "support/method_rows.h"
#include "support/small_data.h"

namespace cane {
namespace CANE_THIS_FILE {

using testing::MethodRow;

DataFacts facts(std::uint32_t classes = 1000) {
  return {classes, 128, 100'000, 1.0};
}

TrainConfig chosen(const TrainConfig& asked, const DataFacts& data = facts()) {
  return resolve(asked, data).config;
}

TrainConfig with_method(Method method) {
  TrainConfig config;
  config.method = method;
  return config;
}
TrainConfig with_select(SelectorKind select) {
  TrainConfig config = with_method(Method::kCane);
  config.select = select;
  return config;
}

template <typename Change>
void expect_refused(TrainConfig config, Change change, std::initializer_list<const char*> words) {
  change(config);
  const std::string message = testing::error_text([&] { resolve(config, facts()); });
  for (const char* word : words) {
    EXPECT_THAT(message, ::testing::HasSubstr(word)) << "'" << word << "' in: " << message;
  }
}

DataFacts sparse_facts(std::uint32_t classes = 1000) {
  DataFacts sparse = facts(classes);
  sparse.density = 0.01;
  return sparse;
}

TEST(Choose, WithNoOptionsItTakesCaneAndSaysWhy) {
  const Resolved choice = resolve({}, sparse_facts());
  EXPECT_EQ(choice.config.method, Method::kCane);
  EXPECT_EQ(choice.config.select, SelectorKind::kNarrow);
  EXPECT_EQ(choice.config.scorer, ScorerKind::kFlat);
  EXPECT_EQ(choice.config.noise, NoiseKind::kProposal);
  ASSERT_GE(choice.reasons.size(), 2U);
  EXPECT_THAT(choice.reasons[0], ::testing::HasSubstr("method cane"));
  EXPECT_THAT(choice.reasons[1], ::testing::HasSubstr("narrow"));
  EXPECT_THAT(choice.reasons[1], ::testing::HasSubstr("1000 classes"));
}

TEST(Choose, FewClassesGetTheSoftmaxUnlessCaneIsAskedFor) {
  EXPECT_EQ(resolve({}, facts(100)).config.method, Method::kSoftmax);
  TrainConfig asked;
  asked.candidates = 5;
  EXPECT_EQ(resolve(asked, facts(100)).config.method, Method::kCane);
}

TEST(Choose, DenseRowsGetWhitenedProductsOfMatrices) {
  EXPECT_EQ(resolve({}, facts(1000)).config.method, Method::kSoftmax);
  const Resolved many = resolve({}, facts(20'000));
  EXPECT_EQ(many.config.method, Method::kCane);
  EXPECT_EQ(many.config.select, SelectorKind::kNone);
  EXPECT_EQ(many.config.whiten, WhitenKind::kAuto);
  EXPECT_THAT(many.reasons[1], ::testing::HasSubstr("selector none"));
  // What does not go with lists that a batch shares, or has no whitened steps.
  const auto without = [](auto change) {
    TrainConfig config;
    change(config);
    return chosen(config, facts(20'000));
  };
  for (const TrainConfig& other :
       {without([](TrainConfig& c) { c.candidates = 9; }),
        without([](TrainConfig& c) { c.beam = 9; }), without([](TrainConfig& c) {
          c.reuse = 5;
          c.select = SelectorKind::kNarrow;
        }),
        without([](TrainConfig& c) { c.noise_terms = NoiseTerms::kSeparate; }),
        without([](TrainConfig& c) { c.scorer = ScorerKind::kPath; }),
        without([](TrainConfig& c) { c.whiten = WhitenKind::kOff; }),
        without([](TrainConfig& c) { c.optimizer = OptimizerKind::kAdagrad; })}) {
    EXPECT_NE(other.select, SelectorKind::kNone);
    EXPECT_EQ(other.whiten, WhitenKind::kOff);
  }
}

TEST(Choose, WhitensDenseRowsThatClassesSeeThemselves) {
  EXPECT_EQ(chosen(with_method(Method::kSoftmax)).whiten, WhitenKind::kAuto);
  EXPECT_EQ(chosen(with_select(SelectorKind::kFrequent)).whiten, WhitenKind::kAuto);
  EXPECT_EQ(chosen(with_method(Method::kSoftmax), sparse_facts()).whiten, WhitenKind::kOff);
  EXPECT_EQ(chosen(with_select(SelectorKind::kNarrow)).whiten, WhitenKind::kOff);
  TrainConfig config = with_method(Method::kSoftmax);
  config.encoder = EncoderKind::kBag;
  EXPECT_EQ(chosen(config).whiten, WhitenKind::kOff);
  config = with_method(Method::kSoftmax);
  config.device = "cuda";
  EXPECT_EQ(chosen(config).whiten, WhitenKind::kOff);
}

TEST(Choose, ManyClassesGetABeam) {
  const Resolved choice = resolve({}, sparse_facts(20'000));
  EXPECT_EQ(choice.config.select, SelectorKind::kBeam);
  EXPECT_EQ(choice.config.noise, NoiseKind::kUniform);
  EXPECT_TRUE(uses_tree(choice.config));
  EXPECT_THAT(choice.reasons.back(), ::testing::HasSubstr("tree"));
}

TEST(Choose, VeryManyClassesGetTheSearchThatReadsLeastIfRowsAreDense) {
  DataFacts many = facts(200'000);
  many.density = 1.0;
  EXPECT_EQ(resolve({}, many).config.select, SelectorKind::kCentroid);
  many.density = 0.001;
  EXPECT_EQ(resolve({}, many).config.select, SelectorKind::kBeam);
}

TEST(Choose, GivesEveryMethodItsNoiseAndSizes) {
  for (const Method method : {Method::kNce, Method::kNeg, Method::kBlackout}) {
    EXPECT_EQ(chosen(with_method(method)).noise, NoiseKind::kUnigram) << name_of(method);
    EXPECT_EQ(chosen(with_method(method)).noises, 10U);
    EXPECT_EQ(chosen(with_method(method)).candidates, 0U);
    EXPECT_EQ(chosen(with_method(method)).scorer, ScorerKind::kFlat);
  }
  for (const Method method : {Method::kOve, Method::kCss}) {
    EXPECT_EQ(chosen(with_method(method)).noise, NoiseKind::kUniform) << name_of(method);
    EXPECT_EQ(chosen(with_method(method)).noises, 10U);
  }
  EXPECT_EQ(chosen(with_method(Method::kHsm)).scorer, ScorerKind::kPath);
  EXPECT_EQ(chosen(with_method(Method::kHsm)).noises, 0U);
  EXPECT_EQ(chosen(with_method(Method::kSoftmax)).scorer, ScorerKind::kFlat);
  EXPECT_EQ(chosen(with_method(Method::kSoftmax)).noises, 0U);
  const TrainConfig beam = chosen(with_select(SelectorKind::kBeam));
  EXPECT_EQ(beam.scorer, ScorerKind::kPath);
  EXPECT_EQ(beam.noise, NoiseKind::kUniform);
  EXPECT_EQ(beam.candidates, 9U);
  EXPECT_EQ(beam.noises, 1U);
  EXPECT_EQ(chosen(with_select(SelectorKind::kCentroid)).tree, "kmeans");
  for (const SelectorKind select : {SelectorKind::kNarrow, SelectorKind::kTree}) {
    EXPECT_EQ(chosen(with_select(select)).scorer, ScorerKind::kFlat) << name_of(select);
    EXPECT_EQ(chosen(with_select(select)).noise, NoiseKind::kProposal);
    EXPECT_GT(chosen(with_select(select)).beam, 9U);
  }
  for (const SelectorKind select : {SelectorKind::kCentroid, SelectorKind::kExact}) {
    EXPECT_EQ(chosen(with_select(select)).scorer, ScorerKind::kFlat) << name_of(select);
    EXPECT_EQ(chosen(with_select(select)).noise, NoiseKind::kUniform);
  }
  EXPECT_EQ(chosen(with_select(SelectorKind::kAll)).candidates, 1000U);
}

TEST(Choose, ASoftmaxOverDenseRowsGetsLargerBatches) {
  const std::uint32_t dense = chosen(with_method(Method::kSoftmax)).batch;
  DataFacts sparse = facts();
  sparse.density = 0.001;
  EXPECT_GT(dense, chosen(with_method(Method::kSoftmax), sparse).batch);
  TrainConfig config = with_method(Method::kSoftmax);
  config.batch = 7;
  EXPECT_EQ(chosen(config).batch, 7U);
}

TEST(Choose, ASearchIsRememberedWhereThatPays) {
  for (const SelectorKind select : {SelectorKind::kNarrow, SelectorKind::kTree,
                                    SelectorKind::kExact, SelectorKind::kCentroid}) {
    TrainConfig config = with_select(select);
    config.epochs = 5;
    EXPECT_EQ(chosen(config).reuse, 5U) << name_of(select);
    config.epochs = 4;
    EXPECT_EQ(chosen(config).reuse, 1U) << "too few epochs";
    config.epochs = 50;
    config.deterministic = true;
    EXPECT_EQ(chosen(config).reuse, 1U) << "a resumed training would give other bits";
    for (const std::uint32_t asked : {1U, 2U, 7U}) {
      config.reuse = asked;
      EXPECT_EQ(chosen(config).reuse, asked);
    }
  }
}

TEST(Choose, RemembersNoSearchWhereThereIsNone) {
  const auto again = [](TrainConfig& c) { c.reuse = 2; };
  const auto expect_none = [&](TrainConfig config) {
    config.epochs = 50;
    EXPECT_EQ(chosen(config).reuse, 1U);
    config.reuse = 1;
    EXPECT_EQ(chosen(config).reuse, 1U);
    expect_refused(config, again, {"`reuse 2", "narrow, tree, exact and centroid", "`select tree"});
  };
  for (const SelectorKind select : {SelectorKind::kBeam, SelectorKind::kAll}) {
    SCOPED_TRACE(name_of(select));
    expect_none(with_select(select));
  }
  for (const Method method : {Method::kSoftmax, Method::kNce, Method::kNeg, Method::kBlackout,
                              Method::kOve, Method::kCss, Method::kHsm}) {
    SCOPED_TRACE(name_of(method));
    expect_none(with_method(method));
  }
}

TEST(Choose, PathSumsAloneMeanTheBeam) {
  TrainConfig config;
  config.scorer = ScorerKind::kPath;
  EXPECT_EQ(chosen(config).method, Method::kCane);
  EXPECT_EQ(chosen(config).select, SelectorKind::kBeam);
}

TEST(Choose, AUserWhoGivesATreeGetsAMethodThatUsesIt) {
  for (const char* tree : {"huffman", "random", "balanced", "some.tree"}) {
    TrainConfig config;
    config.tree = tree;
    const Resolved choice = resolve(config, facts());
    EXPECT_TRUE(uses_tree(choice.config)) << tree;
    EXPECT_EQ(choice.config.tree, tree);
  }
}

TEST(Choose, CandidatesAndBeamAreAtMostAllClasses) {
  for (const MethodRow& row : testing::method_rows()) {
    TrainConfig config = row.config;
    if (finds_candidates(config)) config.candidates = 50;
    const Resolved choice = resolve(config, facts(3));
    EXPECT_LE(choice.config.candidates, 3U) << row.name;
    EXPECT_LE(choice.config.beam, 3U) << row.name;
    EXPECT_GE(choice.config.beam, choice.config.candidates) << row.name;
  }
  TrainConfig config = with_select(SelectorKind::kBeam);
  config.candidates = 2000;
  const Resolved choice = resolve(config, facts());
  EXPECT_EQ(choice.config.candidates, 1000U);
  EXPECT_THAT(choice.reasons.back(), ::testing::HasSubstr("all 1000 classes"));
}

// A resumed training chooses again, from what the checkpoint remembers.
TEST(Choose, ChoosingAgainChangesNothing) {
  for (const MethodRow& row : testing::method_rows()) {
    const TrainConfig once = chosen(row.config);
    const Resolved twice = resolve(once, facts());
    EXPECT_EQ(differing_fields(once, twice.config), "") << row.name;
    EXPECT_TRUE(twice.reasons.empty()) << row.name;
  }
}

TEST(Choose, RefusesASelectorWithoutCane) {
  for (const Method method : {Method::kSoftmax, Method::kNce, Method::kNeg, Method::kBlackout,
                              Method::kOve, Method::kCss, Method::kHsm}) {
    expect_refused(with_method(method), [](TrainConfig& c) { c.select = SelectorKind::kBeam; },
                   {"`select beam", "only cane", name_of(method), "`method cane"});
  }
}

TEST(Choose, RefusesAScorerThatDoesNotFit) {
  const auto flat = [](TrainConfig& c) { c.scorer = ScorerKind::kFlat; };
  const auto path = [](TrainConfig& c) { c.scorer = ScorerKind::kPath; };
  expect_refused(with_method(Method::kHsm), flat, {"`scorer flat", "hsm", "`scorer path"});
  expect_refused(with_select(SelectorKind::kBeam), flat,
                 {"`scorer flat", "beam", "`scorer path", "`select tree"});
  expect_refused(with_select(SelectorKind::kCentroid), path,
                 {"`scorer path", "centroid", "`scorer flat", "`select beam"});
  for (const Method method : {Method::kSoftmax, Method::kNce, Method::kNeg, Method::kBlackout,
                              Method::kOve, Method::kCss}) {
    expect_refused(with_method(method), path,
                   {"`scorer path", name_of(method), "`scorer flat", "`method hsm"});
  }
}

TEST(Choose, RefusesATreeThatNothingUses) {
  const auto huffman = [](TrainConfig& c) { c.tree = "huffman"; };
  expect_refused(with_method(Method::kSoftmax), huffman, {"`tree", "softmax", "leave it out"});
  expect_refused(with_method(Method::kNce), huffman, {"`tree", "nce", "leave it out"});
  for (const SelectorKind select :
       {SelectorKind::kNarrow, SelectorKind::kExact, SelectorKind::kAll}) {
    expect_refused(with_select(select), huffman, {"`tree", name_of(select), "`select tree"});
  }
}

TEST(Choose, RefusesANoiseLawThatDoesNotFit) {
  const auto proposal = [](TrainConfig& c) { c.noise = NoiseKind::kProposal; };
  const auto unigram = [](TrainConfig& c) { c.noise = NoiseKind::kUnigram; };
  for (const SelectorKind select :
       {SelectorKind::kBeam, SelectorKind::kCentroid, SelectorKind::kExact, SelectorKind::kAll}) {
    expect_refused(with_select(select), proposal,
                   {"`noise proposal", "narrow, tree and hsm", "`select narrow", "`noise unigram"});
  }
  expect_refused(with_method(Method::kNce), proposal, {"`noise proposal", "`noise unigram"});
  expect_refused(with_method(Method::kOve), unigram, {"`noise unigram", "ove", "`noise uniform"});
  expect_refused(with_method(Method::kCss), unigram, {"`noise unigram", "css", "`noise uniform"});
  expect_refused(with_method(Method::kCss), proposal, {"`noise proposal", "css"});
  expect_refused(with_method(Method::kSoftmax), unigram,
                 {"`noise unigram", "softmax", "leave it out"});
  expect_refused(with_method(Method::kHsm), unigram, {"`noise unigram", "hsm", "leave it out"});
}

TEST(Choose, RefusesSizesThatDoNotFit) {
  const auto candidates = [](TrainConfig& c) { c.candidates = 5; };
  const auto noises = [](TrainConfig& c) { c.noises = 5; };
  expect_refused(with_method(Method::kNce), candidates, {"`candidates", "nce", "`noises"});
  expect_refused(with_method(Method::kBlackout), candidates,
                 {"`candidates", "blackout", "`noises"});
  expect_refused(with_method(Method::kSoftmax), candidates,
                 {"`candidates", "softmax", "leave it out"});
  expect_refused(with_method(Method::kHsm), candidates, {"`candidates", "hsm", "leave it out"});
  expect_refused(with_method(Method::kSoftmax), noises, {"`noises", "softmax", "leave it out"});
  expect_refused(with_method(Method::kHsm), noises, {"`noises", "hsm", "leave it out"});
  expect_refused(with_select(SelectorKind::kBeam),
                 [](TrainConfig& c) {
                   c.candidates = 9;
                   c.beam = 8;
                 },
                 {"`beam 8", "9 candidates"});
}

TEST(FactsOf, CountsTheShareOfTheFeaturesThatExamplesHave) {
  testing::SmallDataOptions options;
  options.examples = 1000;
  const testing::SmallData dense(options);
  EXPECT_EQ(facts_of(dense.view(), 20).density, 1.0);
  options.sparse = true;
  options.one_in = 4;
  const testing::SmallData sparse(options);
  const DataFacts data = facts_of(sparse.view(), 20);
  EXPECT_NEAR(data.density, 0.25, 0.02);
  EXPECT_EQ(data.examples, 1000U);
  EXPECT_EQ(data.classes, 20U);
}

}  // namespace CANE_THIS_FILE
}  // namespace cane
