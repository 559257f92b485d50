// Marks the pure mathematics that compiles for the host and, under nvcc, for the device too.
#pragma once

#ifdef __CUDACC__
#define CANE_HOST_DEVICE __host__ __device__
#else
#define CANE_HOST_DEVICE
#endif
