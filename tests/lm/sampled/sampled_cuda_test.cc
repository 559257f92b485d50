// The GPU against the CPU with the same seed, over every method and selection and odd sizes.
#include <gtest/gtest.h>

#include <algorithm>

#include "lm/sampled/plain_loss.h"
#include "lm/sampled/sampled_cases.h"
#include "lm/sampled/sampled_layer.h"

namespace cane::lm {
namespace CANE_THIS_FILE {

class SampledCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!torch::cuda::is_available()) GTEST_SKIP() << "there is no GPU";
    torch::manual_seed(5);
  }
};

FlatBatch on_gpu(const FlatBatch& batch) {
  return {batch.contexts.to(torch::kCUDA), batch.labels.to(torch::kCUDA), batch.streams};
}

torch::Tensor moved(const torch::Tensor& tensor) {
  return tensor.defined() ? tensor.to(torch::kCUDA) : tensor;
}

Shortlists on_host(const Shortlists& lists) {
  Shortlists host = lists;
  ListedColumns& listed = host.listed;
  for (torch::Tensor* tensor :
       {&host.own, &host.shared, &host.seen, &host.left_out, &listed.label_at, &listed.label_log_q,
        &listed.log_q, &listed.drawn}) {
    if (tensor->defined()) *tensor = tensor->cpu();
  }
  return host;
}

PlainToken sorted_token(const Shortlists& lists, std::int64_t token) {
  PlainToken plain = plain_token(lists, token);
  std::sort(plain.candidates.begin(), plain.candidates.end());
  return plain;
}

TEST_F(SampledCuda, DrawsTheSameShortlists) {
  const BigramCounts bigrams = case_bigrams();
  for (const SampledCase& test : sampled_cases()) {
    SCOPED_TRACE(test.name + (test.options.shared_noises ? " shared" : " per token"));
    ShortlistMaker cpu(test.options, case_counts(), &bigrams, 3, torch::kCPU);
    ShortlistMaker gpu(test.options, case_counts(), &bigrams, 3, torch::kCUDA);
    for (std::int64_t step = 0; step < 3; ++step) {
      const FlatBatch batch = case_batch();
      const std::int64_t tokens = batch.labels.size(0);
      const auto own = case_candidates(test.options, tokens);
      const auto counter = torch::full({}, step, torch::kInt64);
      const Shortlists first = cpu.make(batch, own, counter);
      const Shortlists second =
          on_host(gpu.make(on_gpu(batch), moved(own), counter.to(torch::kCUDA)));
      EXPECT_TRUE(torch::equal(first.listed.drawn, second.listed.drawn));
      for (std::int64_t token = 0; token < tokens; ++token) {
        const PlainToken a = sorted_token(first, token);
        const PlainToken b = sorted_token(second, token);
        EXPECT_EQ(a.candidates, b.candidates);
        EXPECT_EQ(a.noises, b.noises);
        ASSERT_EQ(a.log_q.size(), b.log_q.size());
        for (std::size_t j = 0; j < a.log_q.size(); ++j) EXPECT_NEAR(a.log_q[j], b.log_q[j], 1e-4);
      }
    }
  }
}

TEST_F(SampledCuda, LossesAndGradientsAreThoseOfTheCpu) {
  const BigramCounts bigrams = case_bigrams();
  for (const SampledCase& test : sampled_cases()) {
    for (const std::int64_t width : {1, 5, 129, 256}) {
      SCOPED_TRACE(test.name + (test.options.shared_noises ? " shared" : " per token") + " width " +
                   std::to_string(width));
      auto cpu = std::make_shared<SampledLayer>(test.options, case_counts(), width, 3, torch::kCPU,
                                                &bigrams);
      auto gpu = std::make_shared<SampledLayer>(test.options, case_counts(), width, 3, torch::kCUDA,
                                                &bigrams);
      const FlatBatch flat = case_batch();
      const std::int64_t length = flat.labels.size(0) / flat.streams;
      const TokenBatch batch{flat.contexts.view({length, flat.streams}),
                             flat.labels.view({length, flat.streams})};
      const TokenBatch moved_batch{batch.inputs.to(torch::kCUDA), batch.labels.to(torch::kCUDA)};
      auto hidden = torch::randn({length, flat.streams, width}).requires_grad_();
      auto moved_hidden = hidden.detach().to(torch::kCUDA).requires_grad_();
      const auto step = torch::full({}, 7, torch::kInt64);
      const auto loss = cpu->loss(hidden, batch, step);
      const auto moved_loss = gpu->loss(moved_hidden, moved_batch, step.to(torch::kCUDA));
      loss.backward();
      moved_loss.backward();
      EXPECT_NEAR(loss.item<double>(), moved_loss.item<double>(), 1e-4);
      EXPECT_LT(distance(hidden.grad(), moved_hidden.grad()), 1e-4);
      const auto rows = cpu->take_row_gradients();
      const auto moved_rows = gpu->take_row_gradients();
      ASSERT_EQ(rows.size(), moved_rows.size());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        EXPECT_LT(distance(dense_gradient({rows[i]}, rows[i].table),
                           dense_gradient({moved_rows[i]}, moved_rows[i].table)),
                  1e-4);
      }
      EXPECT_NEAR(cpu->take_coverage(), gpu->take_coverage(), 1e-9);
    }
  }
}

}  // namespace CANE_THIS_FILE
}  // namespace cane::lm
