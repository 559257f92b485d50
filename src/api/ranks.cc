#include "cane/ranks.h"

#include <span>
#include <utility>

#include "core/parallel/communicator.h"
#include "core/parallel/launch.h"

namespace cane {

Ranks::Ranks() : communicator_(std::make_shared<Communicator>()) {}
Ranks::Ranks(std::shared_ptr<Communicator> communicator) : communicator_(std::move(communicator)) {}

Ranks Ranks::join() {
  return Ranks(std::shared_ptr<Communicator>(join_ranks()));
}

int Ranks::rank() const {
  return communicator_->rank();
}
int Ranks::count() const {
  return communicator_->ranks();
}

std::vector<std::string> Ranks::gather(const std::string& text) const {
  std::vector<std::string> texts;
  for (const Bytes& part : communicator_->gather(bytes_of_text(text))) {
    texts.push_back(text_of(part));
  }
  return texts;
}

std::vector<double> Ranks::seconds_waited() const {
  const std::span<const double> seconds = communicator_->seconds_waited();
  return {seconds.begin(), seconds.end()};
}

}  // namespace cane
