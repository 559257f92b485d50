// Uses the installed library as a stranger would, through its public headers alone.
#include <cane/cane.h>

#include <cstdio>
#include <fstream>
#include <string>

namespace {

// Four classes, each with a feature of its own.
void write_examples(const std::string& path) {
  std::ofstream file(path);
  for (int example = 0; example < 400; ++example) {
    file << "label-" << example % 4 << ' ' << example % 4 + 1 << ":1\n";
  }
}

}  // namespace

int main(int argument_count, char** arguments) {
  if (argument_count != 2) {
    std::fprintf(stderr, "usage: outside FOLDER\n");
    return 2;
  }
  const std::string folder = arguments[1];
  try {
    std::printf("cane %s on %s\n", cane::version().c_str(), cane::instruction_set().c_str());
    write_examples(folder + "/train.svm");

    cane::DataOptions options;
    options.use_cache = false;
    const auto data = cane::Dataset::load(folder + "/train.svm", options);
    cane::TrainConfig config;
    config.candidates = 2;
    config.epochs = 5;
    cane::train(data, config).model.save(folder + "/model.safetensors");

    const auto model = cane::Model::load(folder + "/model.safetensors");
    const cane::Predictor predictor(model);
    for (std::uint32_t index = 1; index <= 4; ++index) {
      const cane::Feature feature{index, 1.0F};
      const auto best = predictor.predict({&feature, 1}).at(0);
      const std::string expected = "label-" + std::to_string(index - 1);
      if (predictor.label(best.class_id) != expected) {
        std::fprintf(stderr, "%s is taken for %s\n", expected.c_str(),
                     predictor.label(best.class_id).c_str());
        return 1;
      }
    }
  } catch (const cane::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  std::puts("outside: ok");
}
