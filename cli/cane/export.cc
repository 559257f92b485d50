#include "cane/export.h"

#include <fmt/format.h>

#include "app/options.h"
#include "app/say.h"
#include "cane/error.h"
#include "cli/cane/data_options.h"
#include "cli/cane/verbs.h"

namespace cane::cli {
namespace {

constexpr const char* kExportClosing =
    "Vectors go to NAME.npy, with the labels or words a line each in NAME.labels.txt, or to text "
    "as\n"
    "word2vec writes it. The last column of a .npy of classes is their bias.\n"
    "ONNX takes features as the model sees them: words, their weights and the length of rows are\n"
    "made outside; the metadata say how, and have the labels. Online trees, hsm, --select hsm "
    "and,\n"
    "as ONNX, --encoder mlp cannot be exported.\n\n"
    "Examples:\n"
    "  cane export --model intents.safetensors --classes intents.npy\n"
    "  cane export --model intents.safetensors --embeddings words.vec --onnx intents.onnx";

struct ExportPaths {
  std::string model;
  std::string classes;
  std::string embeddings;
  std::string onnx;
};

void add_output(Options& options, const std::string& name, std::string& path,
                const std::string& text) {
  options.add(name, "FILE", path, text);
  options.writes({.option = "--" + name, .path = "", .kind = FileKind::kResults}, path);
  options.writes([name, &path] {
    return std::vector<OutputFile>{
        {.option = "the names of --" + name, .path = names_path(path), .kind = FileKind::kResults}};
  });
}

}  // namespace

int run_export(const Verb& verb, const Arguments& arguments) {
  ExportPaths paths;
  Options options(verb, kExportClosing);
  add_model_option(options, paths.model);
  add_output(options, "classes", paths.classes, "vectors of the classes: .npy, or word2vec text");
  add_output(options, "embeddings", paths.embeddings,
             "embeddings of the features, with --encoder bag: .npy, or word2vec text");
  options.add("onnx", "FILE", paths.onnx, "the model: flat, or path sums, alone or over a bag");
  options.writes({.option = "--onnx", .path = "", .kind = FileKind::kResults}, paths.onnx);
  if (!options.parse(arguments)) return kExitDone;
  if (paths.classes.empty() && paths.embeddings.empty() && paths.onnx.empty()) {
    throw Error("there is nothing to write; give --classes, --embeddings or --onnx");
  }
  const Model model = Model::load(paths.model);
  const auto write = [&model](const std::string& path, auto& export_to) {
    if (path.empty()) return;
    export_to(model, path);
    say("saved {}{}{}\n", path, names_path(path).empty() ? "" : " and ", names_path(path));
  };
  write(paths.classes, export_classes);
  write(paths.embeddings, export_embeddings);
  write(paths.onnx, export_onnx);
  return kExitDone;
}

}  // namespace cane::cli
