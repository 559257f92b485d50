#include "lm/engine/device.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>

#ifdef CANE_TORCH_CUDA
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#endif

#include "cane/error.h"
#include "core/base/thread_pool.h"
#include "core/base/words.h"

namespace cane::lm {
namespace {

/// Whether LibTorch was built for a generic BLAS and no BLAS known to be fast is loaded.
bool has_slow_products() {
  const bool any_blas = at::show_config().find("BLAS_INFO=generic") != std::string::npos;
  return any_blas && ::dlsym(RTLD_DEFAULT, "openblas_get_config") == nullptr;
}

/// The oneDNN of LibTorch 1 ends with an illegal instruction where it multiplies bfloat16 in the
/// matrix tiles of newer processors. It reads the variable before its first product.
void avoid_matrix_tiles() {
#if TORCH_VERSION_MAJOR < 2
  ::setenv("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_BF16", /*overwrite=*/0);
#endif
}

torch::Device use_cpu(int threads, const Note& note) {
  avoid_matrix_tiles();
  at::set_num_threads(threads > 0 ? threads : available_cores());
  if (has_slow_products()) {
    note(
        "LibTorch computes with a BLAS that is not OpenBLAS, which may be ten times slower; "
        "install OpenBLAS (Debian: libopenblas0-pthread)");
  }
  return torch::kCPU;
}

#ifdef CANE_TORCH_CUDA
/// The cuDNN weights are separate tensors, laid out for the optimiser, and are gathered in every
/// step. LibTorch warns about this, but the user cannot change it.
class WithoutKnownWarnings final : public c10::WarningHandler {
 public:
  void process(const c10::Warning& warning) override {
    if (warning.msg().find("single contiguous chunk") != std::string::npos) return;
    c10::WarningHandler::process(warning);
  }
};
#endif

torch::Device use_gpu(torch::DeviceIndex index) {
  if (index >= static_cast<int>(torch::cuda::device_count())) {
    throw OptionError(
        "device", fmt::format("there is no cuda:{}", static_cast<int>(index)),
        fmt::format("there are {} GPUs, from cuda:0 on", torch::cuda::device_count()));
  }
  at::globalContext().setAllowTF32CuBLAS(true);
  at::globalContext().setAllowTF32CuDNN(true);
#ifdef CANE_TORCH_CUDA
  static WithoutKnownWarnings handler;
  c10::WarningUtils::set_warning_handler(&handler);
  // Steps are recorded as graphs, which the default stream does not allow.
  c10::cuda::set_device(index);
  c10::cuda::setCurrentCUDAStream(c10::cuda::getStreamFromPool(false, index));
#endif
  return {torch::kCUDA, index};
}

}  // namespace

torch::Device choose_device(const std::string& name, int threads, const Note& note) {
  const bool there = torch::cuda::is_available();
  if (name == "cpu") return use_cpu(threads, note);
  if (name == "auto") {
    if (there) return use_gpu(0);
    note("there is no GPU that LibTorch can use; running on the CPU");
    return use_cpu(threads, note);
  }
  if (name != "cuda" && !name.starts_with("cuda:")) {
    throw OptionError("device", fmt::format("there is no '{}'", name),
                      "there are auto, cpu, cuda, cuda:N");
  }
  if (!there) {
    throw Error(
        "`device cuda`: there is no GPU that LibTorch can use (none, no driver, or a LibTorch for "
        "the CPU alone); use `device cpu`");
  }
  const auto index =
      name == "cuda" ? std::int8_t{0} : parse_number<std::int8_t>("device", name.substr(5));
  return use_gpu(static_cast<torch::DeviceIndex>(index));
}

torch::ScalarType computing_type(Precision precision) {
  return precision == Precision::kBfloat16 ? torch::kBFloat16 : torch::kFloat32;
}

}  // namespace cane::lm
