// Threads of OpenMP (LibTorch's and those of the kernels here) and of OpenBLAS wait for work by
// spinning, each on the cores that the other needs: two threads were slower than one. OpenMP reads
// how to wait when it is loaded, long before main(), so the program restarts itself with that said.
#pragma once

namespace cane::lm {

/// Returns in a program whose threads sleep, or where the user has chosen otherwise
/// (OMP_WAIT_POLICY, GOMP_SPINCOUNT), or where a program cannot start itself. `values` are those of
/// main(); call it first.
void let_threads_sleep(char** values);

}  // namespace cane::lm
