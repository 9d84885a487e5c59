/*
 * The wall clock of one process, kept in a file that another process maps and writes.
 *
 * Preloaded into a Redis server, this library answers clock_gettime(CLOCK_REALTIME), gettimeofday and time with the
 * int64 of nanoseconds since 1970 at the start of the file $RACEBENCH_CLOCK. The monotonic clock stays real, so the
 * server's event loop keeps running while its calendar stands still.
 *
 * It also takes chance out of the server: /dev/urandom can't be opened and the process id is a constant while it starts,
 * so the server falls back to seeds made of the (frozen) time. Hash tables, and with them SMEMBERS, KEYS and SCAN,
 * then have the same order in every server process.
 *
 * No C library is linked and none is needed, so the same file works under glibc and musl.
 */

typedef long word;

struct timespec { word sec; word nsec; };
struct timeval { word sec; word usec; };

#if defined(__x86_64__)
enum { SYS_read = 0, SYS_open = 2, SYS_close = 3, SYS_mmap = 9, SYS_getpid = 39, SYS_clock_gettime = 228 };
static word call6(word n, word a, word b, word c, word d, word e, word f) {
    word r;
    register word r10 __asm__("r10") = d;
    register word r8 __asm__("r8") = e;
    register word r9 __asm__("r9") = f;
    __asm__ volatile("syscall" : "=a"(r) : "0"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
    return r;
}
static word open_file(const char *path) { return call6(SYS_open, (word)path, 0, 0, 0, 0, 0); }
#elif defined(__aarch64__)
enum { SYS_openat = 56, SYS_close = 57, SYS_read = 63, SYS_clock_gettime = 113, SYS_getpid = 172, SYS_mmap = 222 };
static word call6(word n, word a, word b, word c, word d, word e, word f) {
    register word x8 __asm__("x8") = n;
    register word x0 __asm__("x0") = a;
    register word x1 __asm__("x1") = b;
    register word x2 __asm__("x2") = c;
    register word x3 __asm__("x3") = d;
    register word x4 __asm__("x4") = e;
    register word x5 __asm__("x5") = f;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
    return x0;
}
static word open_file(const char *path) { return call6(SYS_openat, -100, (word)path, 0, 0, 0, 0); }
#else
#error "the virtual clock knows x86-64 and arm64 only"
#endif

#define REALTIME 0
#define REALTIME_COARSE 5
#define NEXT ((void *)-1)

static const char variable[] = "RACEBENCH_CLOCK=";
static volatile word *clock_ns; /* [0] the time, [1] whether the server is starting; null: the clock is real */

/* Both are taken from the C library that is there anyway, where it offers them. */
extern void *dlsym(void *, const char *) __attribute__((weak));
static int (*next_clock_gettime)(int, struct timespec *);
static void *(*next_fopen)(const char *, const char *);
static void *(*next_fopen64)(const char *, const char *);

/* find_path copies the value of the variable out of this process's environment, as the kernel keeps it: neither libc
 * need be ready when a constructor runs. */
static int find_path(char *path, int size) {
    char buf[4096];
    int matched = 0, len = 0, copying = 0, line_start = 1;
    word fd = open_file("/proc/self/environ");
    if (fd < 0) return 0;
    for (;;) {
        word n = call6(SYS_read, fd, (word)buf, sizeof buf, 0, 0, 0);
        if (n <= 0) break;
        for (word i = 0; i < n; i++) {
            char c = buf[i];
            if (copying) {
                if (len == size - 1 || c == 0) { path[len] = 0; call6(SYS_close, fd, 0, 0, 0, 0, 0); return c == 0; }
                path[len++] = c;
                continue;
            }
            if (c == 0) { line_start = 1; matched = 0; continue; }
            if (line_start && c == variable[matched]) {
                if (variable[++matched] == 0) copying = 1;
            } else {
                line_start = 0;
            }
        }
    }
    call6(SYS_close, fd, 0, 0, 0, 0, 0);
    if (copying) path[len] = 0;
    return copying;
}

__attribute__((constructor)) static void start(void) {
    char path[1024];
    if (dlsym) {
        next_clock_gettime = (int (*)(int, struct timespec *))dlsym(NEXT, "clock_gettime");
        next_fopen = (void *(*)(const char *, const char *))dlsym(NEXT, "fopen");
        next_fopen64 = (void *(*)(const char *, const char *))dlsym(NEXT, "fopen64");
    }
    if (!find_path(path, sizeof path)) return;
    word fd = open_file(path);
    if (fd < 0) return;
    word p = call6(SYS_mmap, 0, 4096, 1 /* read */, 1 /* shared */, fd, 0);
    call6(SYS_close, fd, 0, 0, 0, 0, 0);
    if (p < 0 && p > -4096) return;
    clock_ns = (volatile word *)p;
}

int clock_gettime(int id, struct timespec *t) {
    if (clock_ns && (id == REALTIME || id == REALTIME_COARSE)) {
        word ns = __atomic_load_n(clock_ns, __ATOMIC_ACQUIRE);
        t->sec = ns / 1000000000;
        t->nsec = ns % 1000000000;
        return 0;
    }
    if (next_clock_gettime) return next_clock_gettime(id, t);
    return call6(SYS_clock_gettime, id, (word)t, 0, 0, 0, 0) < 0 ? -1 : 0;
}

int gettimeofday(struct timeval *tv, void *zone) {
    struct timespec t;
    (void)zone;
    clock_gettime(REALTIME, &t);
    if (tv) {
        tv->sec = t.sec;
        tv->usec = t.nsec / 1000;
    }
    return 0;
}

word time(word *out) {
    struct timespec t;
    clock_gettime(REALTIME, &t);
    if (out) *out = t.sec;
    return t.sec;
}

static int is_urandom(const char *path) {
    const char *want = "/dev/urandom";
    while (*want && *path == *want) path++, want++;
    return *path == *want;
}

void *fopen(const char *path, const char *mode) {
    if ((clock_ns && is_urandom(path)) || !next_fopen) return 0;
    return next_fopen(path, mode);
}

void *fopen64(const char *path, const char *mode) {
    if ((clock_ns && is_urandom(path)) || !next_fopen64) return 0;
    return next_fopen64(path, mode);
}

/* Only while the server starts and seeds itself: later it needs the true one, to signal itself for instance. */
int getpid(void) {
    if (clock_ns && clock_ns[1]) return 1;
    return call6(SYS_getpid, 0, 0, 0, 0, 0, 0);
}
