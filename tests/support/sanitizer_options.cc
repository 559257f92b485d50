// Options of the thread sanitizer for the whole test program. hnswlib locks a new point and then,
// one at a time, the points that it links to. It cannot wait in a circle, since a point is found
// only after its own search is over, but the detector of lock cycles cannot know that, and takes
// minutes over the thousands of locks. Data races are still found.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define CANE_THREAD_SANITIZER
#endif
#elif defined(__SANITIZE_THREAD__)
#define CANE_THREAD_SANITIZER
#endif

#ifdef CANE_THREAD_SANITIZER
extern "C" const char* __tsan_default_options() {  // NOLINT(bugprone-reserved-identifier)
  return "detect_deadlocks=0";
}
#endif
