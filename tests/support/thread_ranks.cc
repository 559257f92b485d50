#include "support/thread_ranks.h"

#include <algorithm>
#include <exception>
#include <optional>
#include <span>
#include <thread>
#include <utility>

namespace cane {

class ThreadRanks::Mail final : public Transport {
 public:
  Mail(ThreadRanks& all, int rank) : all_(all), rank_(rank) {}

  int rank() const override { return rank_; }
  int ranks() const override { return all_.ranks_; }
  std::string host() const override { return "here"; }

  void send(int to, Channel channel, Bytes bytes) override {
    const std::lock_guard lock(all_.mutex_);
    if (all_.is_dead(rank_)) throw Error("this rank is dead");
    const auto delay =
        all_.delays_.contains(rank_) ? all_.delays_.at(rank_) : std::chrono::milliseconds(0);
    all_.boxes_[{rank_, to, channel}].emplace_back(Clock::now() + delay, std::move(bytes));
  }

  std::optional<Bytes> try_receive(int from, Channel channel) override {
    const std::lock_guard lock(all_.mutex_);
    auto& box = all_.boxes_[{from, rank_, channel}];
    if (box.empty() || box.front().first > Clock::now()) {
      if (box.empty() && all_.is_dead(from)) {
        throw Error("rank " + std::to_string(from) + " does not answer");
      }
      return std::nullopt;
    }
    Bytes message = std::move(box.front().second);
    box.pop_front();
    return message;
  }

  bool has_sent_all() override { return true; }

  void start_all_gather(std::span<const std::span<std::byte>> messages) override {
    missing_.clear();
    for (int other = 0; other < all_.ranks_; ++other) {
      const auto own = messages[static_cast<std::size_t>(rank_)];
      if (other == rank_) continue;
      if (!own.empty()) send(other, Channel::kData, Bytes(own.begin(), own.end()));
      const auto to = messages[static_cast<std::size_t>(other)];
      if (!to.empty()) missing_[other] = to;
    }
  }
  bool has_gathered() override {
    std::erase_if(missing_, [&](const auto& expected) {
      const std::optional<Bytes> message = try_receive(expected.first, Channel::kData);
      if (message) std::ranges::copy(*message, expected.second.begin());
      return message.has_value();
    });
    return missing_.empty();
  }

  void close() override {}
  void abort() noexcept override { all_.kill(rank_); }

 private:
  ThreadRanks& all_;
  int rank_;
  std::map<int, std::span<std::byte>> missing_;  // what is to be gathered from others
};

std::unique_ptr<Transport> ThreadRanks::transport(int rank) {
  return std::make_unique<Mail>(*this, rank);
}

void ThreadRanks::run(const std::function<void(Communicator&)>& body) {
  std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks_));
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks_; ++rank) {
    threads.emplace_back([&, rank] {
      Communicator communicator(transport(rank));
      try {
        body(communicator);
        communicator.close();
      } catch (const PeerFailure& failure) {
        communicator.acknowledge(failure);
        communicator.abort();
      } catch (const std::exception& error) {
        errors[static_cast<std::size_t>(rank)] = std::current_exception();
        communicator.notify_failure(error.what());
        communicator.abort();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& error : errors) {
    if (error) std::rethrow_exception(error);
  }
}

void run_ranks(int ranks, const std::function<void(Communicator&)>& body) {
  ThreadRanks(ranks).run(body);
}

}  // namespace cane
