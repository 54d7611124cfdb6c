/* A tree of COUNT processes of every kind that is hard to end. Each writes one byte into the FIFO when it is up and holds it
 * open until it dies: COUNT bytes mean ready, end of file means that nobody is left.
 *
 * usage: tree FIFO COUNT
 * Of ten: three plain children and a fourth with a child of its own; two that empty their environment; one that leads its own
 * group, one that leads its own session, one daemon (double fork). */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int fifo;

static void stay(void) {
    if (write(fifo, ".", 1) != 1) _exit(1);
    for (;;) pause();
}

static void forget_environment_and_stay(const char *self) {
    char number[16];
    int n = fifo, i = sizeof number;
    number[--i] = 0;
    do number[--i] = (char)('0' + n % 10);
    while (n /= 10);
    char *args[] = {"leaf", number + i, NULL}, *nothing[] = {NULL};
    execve(self, args, nothing);
    _exit(1);
}

static void be(int kind, const char *self) {
    switch (kind) {
    case 3: setpgid(0, 0); break;
    case 4: setsid(); break;
    case 5:
        setsid();
        if (fork() != 0) _exit(0);
        break;
    case 6: case 7: case 8: forget_environment_and_stay(self); break;
    case 9:
        if (fork() == 0) stay();
        break;
    default: break;
    }
    stay();
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fifo = argc == 2 ? atoi(argv[1]) : -1;
        stay();
    }
    fifo = open(argv[1], O_WRONLY);
    if (fifo < 0) return 1;
    int count = atoi(argv[2]);
    for (int i = 0; i < count; i++) {
        /* Kind 9 makes two. */
        int kind = i % 10;
        if (kind == 8 && i + 1 < count) kind = 9, i++;
        pid_t pid = fork();
        if (pid < 0) return 1;
        if (pid == 0) be(kind, "/proc/self/exe");
        if (kind == 5) waitpid(pid, NULL, 0);
    }
    for (;;) pause();
}
