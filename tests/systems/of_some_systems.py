"""What the standard library has on some systems only: the names, of which Windows has none and macOS lacks the last few."""

MODULES = ("fcntl", "grp", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty")

NAMES = {
    "os": (
        *(
            "chown",
            "chroot",
            "fchmod",
            "fchown",
            "fork",
            "forkpty",
            "getegid",
            "geteuid",
            "getgid",
            "getgroups",
            "getpgid",
        ),
        *(
            "getpgrp",
            "getpriority",
            "getsid",
            "getuid",
            "initgroups",
            "killpg",
            "lchown",
            "lockf",
            "mkfifo",
            "mknod",
            "nice",
        ),
        *(
            "openpty",
            "posix_spawn",
            "posix_spawnp",
            "pread",
            "preadv",
            "pwrite",
            "pwritev",
            "register_at_fork",
            "sendfile",
        ),
        *(
            "setgid",
            "setpgid",
            "setpriority",
            "setsid",
            "setuid",
            "statvfs",
            "sync",
            "uname",
            "wait3",
            "wait4",
            "waitid",
        ),
        *("O_ASYNC", "O_CLOEXEC", "O_DIRECTORY", "O_DSYNC", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC"),
        *("memfd_create", "posix_fadvise", "posix_fallocate", "sched_getaffinity", "sched_setaffinity", "splice"),
        *("MFD_ALLOW_SEALING", "MFD_CLOEXEC", "O_NOATIME", "O_PATH"),
    ),
    "signal": (
        *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGUSR1", "SIGUSR2"),
        *("SIGXCPU", "SIGXFSZ", "alarm", "pause", "pthread_kill", "pthread_sigmask", "setitimer", "sigwait"),
    ),
    "time": ("tzset",),
}
"""By the module that has them."""
