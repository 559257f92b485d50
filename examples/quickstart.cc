// Learns animals from a few words about each, keeps the model in a file, and answers riddles.
// Usage: quickstart ANIMALS RIDDLES MODEL
#include <cane/cane.h>

#include <cstdio>

int main(int count, char** arguments) try {
  if (count != 4) throw cane::Error("usage: quickstart ANIMALS RIDDLES MODEL");
  const std::string model_path = arguments[3];
  cane::DataOptions reading;
  reading.format = cane::Format::kFastText;
  reading.use_cache = false;

  const auto animals = cane::Dataset::load(arguments[1], reading);
  cane::TrainConfig config;
  config.candidates = 5;
  config.epochs = 30;
  cane::train(animals, config).model.save(model_path);

  const auto model = cane::Model::load(model_path);
  reading.require_labels = false;
  const auto riddles = cane::Dataset::load(arguments[2], model, reading);
  const cane::Predictor predictor(model, {.top_k = 2});
  predictor.predict(riddles, [&](std::size_t riddle, std::span<const cane::Prediction> best) {
    std::printf("riddle %zu: %s (%.0f%%), or else %s\n", riddle + 1,
                predictor.label(best[0].class_id).c_str(), 100.0 * best[0].probability,
                predictor.label(best[1].class_id).c_str());
  });
} catch (const cane::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
