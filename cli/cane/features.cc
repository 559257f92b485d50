#include "cli/cane/features.h"

#include "app/error_text.h"
#include "app/say.h"
#include "cane/features.h"

namespace cane::cli {
namespace {

class Messages : public TrainObserver {
 public:
  explicit Messages(bool quiet) : quiet_(quiet) {}
  void on_message(const std::string& text) override {
    if (!quiet_) say("{}\n", with_flags(text));
  }

 private:
  bool quiet_;
};

}  // namespace

DataOptions with_chosen_features(const std::string& path, const DataOptions& data,
                                 const TrainConfig& config, bool quiet, const Ranks& ranks) {
  Messages messages(quiet);
  return choose_features(path, data, config, {ranks, &messages});
}

void search_features(TrainOptions& train) {
  Messages messages(train.quiet);
  const ChosenFeatures chosen =
      cane::search_features(train.train_path, train.data, train.config, &messages);
  train.data = chosen.data;
  train.config.encoder = chosen.encoder;
}

}  // namespace cane::cli
