#include "data/vocabulary.h"

#include <xxhash.h>

#include <memory>

namespace cane {
namespace {

class Fingerprint {
 public:
  Fingerprint() { XXH3_64bits_reset(state_.get()); }

  void add(std::uint64_t number) { XXH3_64bits_update(state_.get(), &number, sizeof number); }
  // Lengths go in too: moving a byte from one string to the next must change the result.
  void add(const std::vector<std::string>& strings) {
    add(strings.size());
    for (const auto& text : strings) {
      add(text.size());
      XXH3_64bits_update(state_.get(), text.data(), text.size());
    }
  }
  std::uint64_t value() const { return XXH3_64bits_digest(state_.get()); }

 private:
  struct Free {
    void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
  };
  std::unique_ptr<XXH3_state_t, Free> state_{XXH3_createState()};
};

}  // namespace

std::uint64_t fingerprint(const Vocabulary& vocabulary) {
  Fingerprint result;
  result.add(vocabulary.labels);
  result.add(static_cast<std::uint64_t>(vocabulary.feature_kind));
  result.add(vocabulary.words);
  result.add(vocabulary.hash_bits);
  result.add(vocabulary.dimension);
  result.add(static_cast<std::uint64_t>(vocabulary.normalize));
  return result.value();
}

}  // namespace cane
