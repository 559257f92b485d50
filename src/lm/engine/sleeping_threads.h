// Makes idle threads sleep. the threads of OpenMP (of LibTorch and of the kernels here) and of
// OpenBLAS wait for work by spinning, each on cores that the other needs: two threads were slower
// than one. OpenMP reads its wait policy when it is loaded, long before main(), so the program sets
// the policy and restarts itself.
#pragma once

namespace cane::lm {

/// Call it first in main(), with its argument values. Returns once the threads of the program
/// sleep, if the user has chosen a policy (OMP_WAIT_POLICY, GOMP_SPINCOUNT), or if the program
/// cannot restart itself.
void let_threads_sleep(char** values);

}  // namespace cane::lm
