"""System call numbers of the calls the sandbox names, per machine (from the kernel's uapi headers).

Only calls that the filter allows, or inspects, are listed: everything else is refused without
being known by name. A machine missing here has no filter, hence no code execution.
"""

from __future__ import annotations

# AUDIT_ARCH_* as seccomp reports it; the same numbers as in linux/audit.h.
AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

_X86_64 = """
read=0 write=1 readv=19 writev=20 pread64=17 pwrite64=18 preadv=295 pwritev=296 preadv2=327
pwritev2=328 open=2 openat=257 close=3 creat=85 stat=4 fstat=5 lstat=6 newfstatat=262 statx=332
statfs=137 fstatfs=138 access=21 faccessat=269 faccessat2=439 poll=7 ppoll=271 select=23
pselect6=270 lseek=8 mmap=9 mprotect=10 munmap=11 mremap=25 brk=12 madvise=28 membarrier=324
rt_sigaction=13 rt_sigprocmask=14 rt_sigreturn=15 rt_sigpending=127 rt_sigsuspend=130
rt_sigtimedwait=128 sigaltstack=131 pause=34 alarm=37 setitimer=38 getitimer=36
restart_syscall=219 pipe=22 pipe2=293 dup=32 dup2=33 dup3=292 sched_yield=24
sched_getaffinity=204 nanosleep=35 clock_nanosleep=230 clock_gettime=228 clock_getres=229
gettimeofday=96 time=201 times=100 getpid=39 getppid=110 gettid=186 getuid=102 geteuid=107
getgid=104 getegid=108 getgroups=115 getresuid=118 getresgid=120 getpgrp=111 getpgid=121
getsid=124 getcwd=79 uname=63 getrlimit=97 getcpu=309 getpriority=140
fsync=74 fdatasync=75 truncate=76 ftruncate=77 fallocate=285 sendfile=40
copy_file_range=326 getdents=78 getdents64=217 chdir=80 fchdir=81 mkdir=83 mkdirat=258 rmdir=84
rename=82 renameat=264 renameat2=316 unlink=87 unlinkat=263 link=86 linkat=265 symlink=88
symlinkat=266 readlink=89 readlinkat=267 umask=95 close_range=436 getrandom=318 futex=202
set_robust_list=273 get_robust_list=274 rseq=334 exit=60
exit_group=231 arch_prctl=158 epoll_create=213 epoll_create1=291 epoll_ctl=233 epoll_wait=232
epoll_pwait=281 epoll_pwait2=441 eventfd=284 eventfd2=290 recvfrom=45 shutdown=48 clone=56
prlimit64=302 ioctl=16 fcntl=72 socketpair=53 sendto=44 kill=62 tgkill=234 prctl=157 clone3=435
"""

# asm-generic numbering: the old path-based calls (open, stat, fork, ...) do not exist there.
_AARCH64 = """
read=63 write=64 readv=65 writev=66 pread64=67 pwrite64=68 preadv=69 pwritev=70 preadv2=286
pwritev2=287 openat=56 close=57 fstat=80 newfstatat=79 statx=291 statfs=43 fstatfs=44
faccessat=48 faccessat2=439 ppoll=73 pselect6=72 lseek=62 mmap=222 mprotect=226 munmap=215
mremap=216 brk=214 madvise=233 membarrier=283 rt_sigaction=134 rt_sigprocmask=135
rt_sigreturn=139 rt_sigpending=136 rt_sigsuspend=133 rt_sigtimedwait=137 sigaltstack=132
setitimer=103 getitimer=102 restart_syscall=128 pipe2=59 dup=23 dup3=24 sched_yield=124
sched_getaffinity=123 nanosleep=101 clock_nanosleep=115 clock_gettime=113 clock_getres=114
gettimeofday=169 times=153 getpid=172 getppid=173 gettid=178 getuid=174 geteuid=175 getgid=176
getegid=177 getgroups=158 getresuid=148 getresgid=150 getpgid=155 getsid=156 getcwd=17 uname=160
getrlimit=163 getcpu=168 getpriority=141 fsync=82
fdatasync=83 truncate=45 ftruncate=46 fallocate=47 sendfile=71 copy_file_range=285
getdents64=61 chdir=49 fchdir=50 mkdirat=34 renameat=38 renameat2=276 unlinkat=35 linkat=37
symlinkat=36 readlinkat=78 umask=166 close_range=436 getrandom=278 futex=98
set_robust_list=99 get_robust_list=100 rseq=293 exit=93 exit_group=94
epoll_create1=20 epoll_ctl=21 epoll_pwait=22 epoll_pwait2=441 eventfd2=19 recvfrom=207
shutdown=210 clone=220 prlimit64=261 ioctl=29 fcntl=25 socketpair=199 sendto=206 kill=129
tgkill=131 prctl=167 clone3=435
"""


def _parse(table: str) -> dict[str, int]:
    return {name: int(number) for name, number in (pair.split("=") for pair in table.split())}


NUMBERS: dict[str, dict[str, int]] = {"x86_64": _parse(_X86_64), "aarch64": _parse(_AARCH64)}
