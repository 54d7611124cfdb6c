/* The bare case: posix_spawn of bash and a wait, from a process as large as a busy host.
 *
 * usage: spawn_timer BALLAST_MIB
 * Each line on stdin, "<output path>\t<script>", is run once as `bash -c <script>` with the path as standard output and
 * standard error; the answer is "<nanoseconds from before the spawn to after the wait> <wait status>". */
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

static long long now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int argc, char **argv) {
    size_t ballast = argc > 1 ? strtoull(argv[1], NULL, 10) << 20 : 0;
    if (ballast) {
        char *memory = malloc(ballast);
        if (!memory) return 1;
        memset(memory, 1, ballast);
        /* Keeps the compiler from dropping it. */
        __asm__ volatile("" : : "r"(memory) : "memory");
    }
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    while ((length = getline(&line, &room, stdin)) > 0) {
        line[length - 1] = 0;
        char *script = strchr(line, '\t');
        if (!script) return 1;
        *script++ = 0;
        char *args[] = {"bash", "-c", script, NULL};
        pid_t pid;
        int status;
        long long start = now_ns();
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_addopen(&actions, 1, line, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        posix_spawn_file_actions_adddup2(&actions, 1, 2);
        if (posix_spawn(&pid, "/bin/bash", &actions, NULL, args, environ) != 0) return 1;
        waitpid(pid, &status, 0);
        printf("%lld %d\n", now_ns() - start, status);
        fflush(stdout);
        posix_spawn_file_actions_destroy(&actions);
    }
    return 0;
}
