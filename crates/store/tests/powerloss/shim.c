/* A disk whose power can be cut, whose syncs can fail and which can be full: for LD_PRELOAD.
 *
 * Knows the files in the folder CONVOKE_DISK. Beside it, in CONVOKE_DISK_IMAGE, stands what a power
 * cut would leave: bytes get there when they are synced, and names when their folder is. What is
 * written and not synced lives in this process alone, so killing it is the cut. As a kernel may
 * write back early and in any order, some writes (CONVOKE_DISK_EARLY, in per cent) get to the image
 * at once. While a file `fail` lies in the image, syncs return EIO; while a file `full` lies there,
 * writes return ENOSPC. The real syncs are left out. Refuses to know SQLite; shared memory (`-shm`)
 * is not on this disk, since nobody trusts it after a start.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define FILES 64
#define FDS 4096
#define NONE 0
#define FOLDER (-1)

/* One write that is not synced; without bytes, a change of length to `offset`. */
struct change {
  struct change *next;
  off_t offset;
  size_t length;
  char bytes[];
};

struct file {
  char name[NAME_MAX + 1];
  int unlinked;
  struct change *first, **last;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file files[FILES];
static int count;
/* What a descriptor is: NONE, FOLDER, or a file counted from 1. */
static int descriptors[FDS];
static const char *disk, *image;
static unsigned early, dice = 2463534242u;

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

static int real_open(const char *path, int flags, mode_t mode) {
  REAL(int, openat, int, const char *, int, ...);
  return real(AT_FDCWD, path, flags, mode);
}

static ssize_t real_pwrite(int fd, const void *bytes, size_t length, off_t offset) {
  REAL(ssize_t, pwrite, int, const void *, size_t, off_t);
  return real(fd, bytes, length, offset);
}

static int real_ftruncate(int fd, off_t length) {
  REAL(int, ftruncate, int, off_t);
  return real(fd, length);
}

static int real_close(int fd) {
  REAL(int, close, int);
  return real(fd);
}

static int real_unlink(const char *path) {
  REAL(int, unlink, const char *);
  return real(path);
}

__attribute__((constructor)) static void begin(void) {
  const char *percent = getenv("CONVOKE_DISK_EARLY"), *seed = getenv("CONVOKE_DISK_SEED");
  disk = getenv("CONVOKE_DISK");
  image = getenv("CONVOKE_DISK_IMAGE");
  early = percent ? (unsigned)atoi(percent) : 0;
  dice ^= seed ? (unsigned)atoi(seed) * 2654435761u : 0;
}

static void in_image(char *path, const char *name, const char *suffix) {
  snprintf(path, PATH_MAX, "%s/%s%s", image, name, suffix);
}

static int is_there(const char *name) {
  char path[PATH_MAX];
  struct stat found;
  in_image(path, name, "");
  return stat(path, &found) == 0;
}

/* What `path` is on this disk. */
static int find(const char *path, int make) {
  size_t length;
  if (!disk || !image) return NONE;
  length = strlen(disk);
  if (strncmp(path, disk, length) != 0) return NONE;
  if (path[length] == 0) return FOLDER;
  if (path[length] != '/' || strchr(path + length + 1, '/')) return NONE;
  path += length + 1;
  if (strlen(path) > 4 && strcmp(path + strlen(path) - 4, "-shm") == 0) return NONE;
  for (int n = 0; n < count; n++)
    if (strcmp(files[n].name, path) == 0) return n + 1;
  if (!make || count == FILES) return NONE;
  snprintf(files[count].name, sizeof files[count].name, "%s", path);
  files[count].last = &files[count].first;
  return ++count;
}

static void apply(int to, const struct change *change) {
  size_t done = 0;
  if (change->length == 0) {
    if (real_ftruncate(to, change->offset) != 0) abort();
    return;
  }
  while (done < change->length) {
    ssize_t now = real_pwrite(to, change->bytes + done, change->length - done,
                              change->offset + (off_t)done);
    if (now <= 0) abort();
    done += (size_t)now;
  }
}

static int open_image(const struct file *file) {
  char path[PATH_MAX];
  int to;
  in_image(path, file->name, "");
  to = real_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (to < 0) abort();
  return to;
}

static void note(int what, const void *bytes, size_t length, off_t offset) {
  struct file *file = &files[what - 1];
  struct change *change = malloc(sizeof *change + length);
  if (!change) abort();
  change->next = NULL;
  change->offset = offset;
  change->length = length;
  if (length) memcpy(change->bytes, bytes, length);
  *file->last = change;
  file->last = &change->next;
  dice ^= dice << 13;
  dice ^= dice >> 17;
  dice ^= dice << 5;
  if (length && dice % 100 < early) {
    int to = open_image(file);
    apply(to, change);
    real_close(to);
  }
}

static void forget(struct file *file) {
  while (file->first) {
    struct change *next = file->first->next;
    free(file->first);
    file->first = next;
  }
  file->last = &file->first;
}

static void sync_file(struct file *file) {
  int to = open_image(file);
  for (struct change *change = file->first; change; change = change->next) apply(to, change);
  real_close(to);
  forget(file);
}

/* Names become durable, and so does their end. */
static void sync_folder(void) {
  char path[PATH_MAX], named[PATH_MAX];
  for (int n = 0; n < count; n++) {
    in_image(path, files[n].name, "");
    in_image(named, files[n].name, ".named");
    if (files[n].unlinked) {
      real_unlink(path);
      real_unlink(named);
      continue;
    }
    real_close(open_image(&files[n]));
    real_close(real_open(named, O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
}

static int opened(int fd, const char *path, int flags) {
  int what;
  if (fd < 0 || fd >= FDS) return fd;
  pthread_mutex_lock(&lock);
  what = find(path, 1);
  descriptors[fd] = what;
  if (what > 0 && (flags & O_CREAT) && files[what - 1].unlinked) {
    files[what - 1].unlinked = 0;
    note(what, NULL, 0, 0);
  }
  if (what > 0 && (flags & O_TRUNC)) note(what, NULL, 0, 0);
  pthread_mutex_unlock(&lock);
  return fd;
}

#define OPEN(name) \
  int name(const char *path, int flags, ...) { \
    va_list more; \
    mode_t mode; \
    va_start(more, flags); \
    mode = (flags & (O_CREAT | O_TMPFILE)) ? va_arg(more, mode_t) : 0; \
    va_end(more); \
    return opened(real_open(path, flags, mode), path, flags); \
  }
OPEN(open)
OPEN(open64)

int close(int fd) {
  if (fd >= 0 && fd < FDS) descriptors[fd] = NONE;
  return real_close(fd);
}

static int what_is(int fd) { return fd >= 0 && fd < FDS ? descriptors[fd] : NONE; }

static ssize_t written(int fd, const void *bytes, size_t length, off_t offset) {
  ssize_t done;
  int what = what_is(fd);
  if (what > 0 && is_there("full")) {
    errno = ENOSPC;
    return -1;
  }
  pthread_mutex_lock(&lock);
  done = real_pwrite(fd, bytes, length, offset);
  if (done > 0) note(what, bytes, (size_t)done, offset);
  pthread_mutex_unlock(&lock);
  return done;
}

#define PWRITE(name) \
  ssize_t name(int fd, const void *bytes, size_t length, off_t offset) { \
    if (what_is(fd) <= 0) return real_pwrite(fd, bytes, length, offset); \
    return written(fd, bytes, length, offset); \
  }
PWRITE(pwrite)
PWRITE(pwrite64)

ssize_t write(int fd, const void *bytes, size_t length) {
  REAL(ssize_t, write, int, const void *, size_t);
  off_t at;
  ssize_t done;
  if (what_is(fd) <= 0) return real(fd, bytes, length);
  at = lseek(fd, 0, SEEK_CUR);
  done = written(fd, bytes, length, at);
  if (done > 0) lseek(fd, at + done, SEEK_SET);
  return done;
}

#define FTRUNCATE(name) \
  int name(int fd, off_t length) { \
    int what = what_is(fd), done; \
    pthread_mutex_lock(&lock); \
    done = real_ftruncate(fd, length); \
    if (done == 0 && what > 0) note(what, NULL, 0, length); \
    pthread_mutex_unlock(&lock); \
    return done; \
  }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

#define SYNC(name) \
  int name(int fd) { \
    REAL(int, name, int); \
    int what = what_is(fd); \
    if (what == NONE) return real(fd); \
    if (is_there("fail")) { \
      errno = EIO; \
      return -1; \
    } \
    pthread_mutex_lock(&lock); \
    if (what == FOLDER) sync_folder(); \
    else sync_file(&files[what - 1]); \
    pthread_mutex_unlock(&lock); \
    return 0; \
  }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
  int done = real_unlink(path), what;
  if (done != 0) return done;
  pthread_mutex_lock(&lock);
  what = find(path, 0);
  if (what > 0) {
    forget(&files[what - 1]);
    files[what - 1].unlinked = 1;
  }
  pthread_mutex_unlock(&lock);
  return done;
}
