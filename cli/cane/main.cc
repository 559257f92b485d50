#include "app/options_page.h"
#include "app/program.h"
#include "cane/fields.h"
#include "cli/cane/verbs.h"

namespace {

using namespace cane::cli;

constexpr Verb kVerbs[] = {
    {"train", "Learn a model from data with labels.", run_train, true},
    {"tune", "Find options for `cane train` on given data.", run_tune},
    {"test", "Measure a model on data with labels.", run_test, true},
    {"predict", "Print the best labels for each example.", run_predict, true},
    {"calibrate", "Fit the probabilities of a model to data it was not trained on.", run_calibrate},
    {"explain", "Explain which features favoured the top label over the runner-up.", run_explain},
    {"compare", "Train several methods on the same data: table, curves, pictures.", run_compare},
    {"synth", "Generate data with a known best accuracy.", run_synth},
    {"tree", "Build, measure and write a tree of classes.", run_tree, true},
    {"quantize", "Make a model smaller: weights in 8 or 16 bits.", run_quantize},
    {"export", "Write vectors, embeddings or an ONNX model for other programs.", run_export},
    {"inspect", "Print the contents of a model.", run_inspect},
    {"cache", "List and remove cached data.", run_cache},
    {"version", "Print version, commit, instruction set and threads.", run_version},
};

std::string option_tables() {
  using namespace cane;
  return fields_table<TrainConfig>("TrainConfig") + fields_table<DataOptions>("DataOptions") +
         fields_table<TuneOptions>("TuneOptions") + fields_table<PredictOptions>("PredictOptions") +
         fields_table<EvaluateOptions>("EvaluateOptions") +
         fields_table<CalibrateOptions>("CalibrateOptions") +
         fields_table<QuantizeOptions>("QuantizeOptions") +
         fields_table<SynthOptions>("SynthOptions");
}

constexpr Program kProgram = {
    .name = "cane",
    .summary = "Learns to tell apart thousands to millions of classes.",
    .example =
        "Example, from data to prediction:\n"
        "  cane synth data --classes 1000\n"
        "  cane train data/X_train.npy --model model.safetensors\n"
        "  cane test --model model.safetensors data/X_test.npy\n"
        "  cane predict --model model.safetensors data/X_test.npy --top-k 3 --proba | head",
    .memory_remedy = "`cane train ... --dry-run` estimates how much a training needs",
    .verbs = kVerbs,
    .option_tables = option_tables,
};

}  // namespace

int main(int count, char** values) {
  return run_program(kProgram, {values + 1, values + count});
}
