/* What one kill(-pgid) does to a tree, and how long it takes until the kernel has handed over the last member of the group.
 *
 * usage: kill_group TREE FIFO COUNT
 * Prints "<nanoseconds from the kill to the last wait> <processes still alive then>", and ends those afterwards. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* Kills the children that are left, orphans among them; returns how many there were. */
static int end_the_rest(void) {
    char path[64];
    int alive = 0, pid;
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    FILE *children = fopen(path, "r");
    if (!children) return -1;
    while (fscanf(children, "%d", &pid) == 1) {
        alive++;
        kill(pid, SIGKILL);
    }
    fclose(children);
    while (waitpid(-1, NULL, 0) > 0) {}
    return alive;
}

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    /* Orphans of the group become ours, so that we can wait for them too. */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    int fifo = open(argv[2], O_RDONLY | O_NONBLOCK), count = atoi(argv[3]), ready = 0;
    if (fifo < 0) return 1;
    fcntl(fifo, F_SETFL, 0);
    pid_t tree = fork();
    if (tree == 0) {
        setpgid(0, 0);
        execl(argv[1], "tree", argv[2], argv[3], (char *)NULL);
        _exit(127);
    }
    while (ready < count) {
        char buffer[4096];
        ssize_t n = read(fifo, buffer, sizeof buffer);
        if (n < 0) return 1;
        /* Nobody has opened the other end yet. */
        if (n == 0) usleep(1000);
        ready += (int)n;
    }
    long long start = now_ns();
    kill(-tree, SIGKILL);
    while (waitpid(-tree, NULL, 0) > 0) {}
    long long took = now_ns() - start;
    printf("%lld %d\n", took, end_the_rest());
    return 0;
}
