/* Kills the process before its CONVOKE_KILL_AT'th step towards the disk: for LD_PRELOAD.
 *
 * A step is a write, a change of length, a sync or the removal of a file. Without a number nothing is
 * killed; then, and in any case before, the steps are counted in the file CONVOKE_STEPS, a byte each.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static void step(void) {
  static unsigned steps;
  static int counted = -1;
  const char *at = getenv("CONVOKE_KILL_AT"), *file = getenv("CONVOKE_STEPS");
  if (__sync_add_and_fetch(&steps, 1) == (at ? strtoul(at, 0, 10) : 0)) kill(getpid(), SIGKILL);
  if (counted < 0 && file) counted = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (counted >= 0 && write(counted, "x", 1) != 1) abort();
}

ssize_t pwrite64(int fd, const void *bytes, size_t length, off64_t at) {
  REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
  step();
  return real(fd, bytes, length, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) {
  REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
  step();
  return real(fd, bytes, length, at);
}

int ftruncate64(int fd, off64_t length) {
  REAL(int, ftruncate64, int, off64_t);
  step();
  return real(fd, length);
}

int ftruncate(int fd, off_t length) {
  REAL(int, ftruncate, int, off_t);
  step();
  return real(fd, length);
}

int fsync(int fd) {
  REAL(int, fsync, int);
  step();
  return real(fd);
}

int fdatasync(int fd) {
  REAL(int, fdatasync, int);
  step();
  return real(fd);
}

int unlink(const char *path) {
  REAL(int, unlink, const char *);
  step();
  return real(path);
}
