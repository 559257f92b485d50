// A layer between a program and the system (LD_PRELOAD) whose writes to files fail now and then.
// TORTURE_SEED: where the random numbers begin; TORTURE_RATE: one call in so many is disturbed;
// TORTURE_KIND: "short" (fewer bytes than asked for, or interrupted before the first: a program must
// go on as if nothing was), or "error" (no space, or a broken disk: a program must say so);
// TORTURE_FILES: only files whose path has this in it, if it is set.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t state;
static uint64_t rate;
static int fails;
static const char* files;

static void start(void) {
  const char* seed = getenv("TORTURE_SEED");
  const char* every = getenv("TORTURE_RATE");
  const char* kind = getenv("TORTURE_KIND");
  state = (seed ? strtoull(seed, NULL, 10) : 1) * 0x9E3779B97F4A7C15ULL + 1;
  rate = every ? strtoull(every, NULL, 10) : 0;
  fails = kind && strcmp(kind, "error") == 0;
  files = getenv("TORTURE_FILES");
}

static int is_meant(int file) {
  char link[64];
  char path[4096];
  if (!files) return 1;
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return strstr(path, files) != NULL;
}

static uint64_t next(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

// 0: leave this call alone; otherwise a random number.
static uint64_t disturbs(int file) {
  struct stat status;
  const int before = errno;
  uint64_t chosen = 0;
  if (fstat(file, &status) == 0 && S_ISREG(status.st_mode)) {
    pthread_mutex_lock(&mutex);
    if (state == 0) start();
    if (rate > 0 && is_meant(file) && next() % rate == 0) chosen = next() | 1;
    pthread_mutex_unlock(&mutex);
  }
  errno = before;
  return chosen;
}

static int failure(uint64_t number) {
  errno = number % 4 < 2 ? ENOSPC : EIO;
  return -1;
}

// The number of bytes to write after all; -1 and errno: none.
static ssize_t spoiled(uint64_t number, size_t count) {
  if (fails) return failure(number >> 8);
  if (number >> 8 & 1) {
    errno = EINTR;
    return -1;
  }
  return count < 2 ? (ssize_t)count : (ssize_t)(1 + (number >> 16) % (count - 1));
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int file, const void* bytes, size_t count) {
  const uint64_t number = disturbs(file);
  if (number == 0) return REAL(write)(file, bytes, count);
  const ssize_t some = spoiled(number, count);
  return some < 0 ? some : REAL(write)(file, bytes, (size_t)some);
}

ssize_t pwrite(int file, const void* bytes, size_t count, off_t offset) {
  const uint64_t number = disturbs(file);
  if (number == 0) return REAL(pwrite)(file, bytes, count, offset);
  const ssize_t some = spoiled(number, count);
  return some < 0 ? some : REAL(pwrite)(file, bytes, (size_t)some, offset);
}

ssize_t pwrite64(int file, const void* bytes, size_t count, off64_t offset) {
  const uint64_t number = disturbs(file);
  if (number == 0) return REAL(pwrite64)(file, bytes, count, offset);
  const ssize_t some = spoiled(number, count);
  return some < 0 ? some : REAL(pwrite64)(file, bytes, (size_t)some, offset);
}

size_t fwrite(const void* bytes, size_t size, size_t count, FILE* stream) {
  const uint64_t number = fails ? disturbs(fileno(stream)) : 0;
  if (number == 0) return REAL(fwrite)(bytes, size, count, stream);
  failure(number >> 8);
  return 0;
}

int fsync(int file) {
  const uint64_t number = disturbs(file);
  return number != 0 && fails ? failure(number >> 8) : REAL(fsync)(file);
}

int ftruncate(int file, off_t size) {
  const uint64_t number = disturbs(file);
  return number != 0 && fails ? failure(number >> 8) : REAL(ftruncate)(file, size);
}
