# Making, harming or outliving processes.

#: forkLoop | error=PermissionError | skip=a fork bomb
import os
def f(port, folder, victim, abstract):
    while True:
        os.fork()

#: forkOnce | error=PermissionError
import os
def f(port, folder, victim, abstract):
    if os.fork() == 0:
        os._exit(0)
    return "reached"

#: rawFork | ok=refused
import ctypes, os
def f(port, folder, victim, abstract):
    pid = ctypes.CDLL(None).fork()
    if pid == 0:
        os._exit(0)
    return "refused" if pid == -1 else "reached"

#: rawVfork | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    return "refused" if ctypes.CDLL(None).syscall(58) == -1 else "reached"

#: clone3 | ok=refused
import ctypes, os, struct
def f(port, folder, victim, abstract):
    arguments = ctypes.create_string_buffer(struct.pack("QQQQQQQQ", 0, 0, 0, 0, 17, 0, 0, 0), 64)
    pid = ctypes.CDLL(None).syscall(435, arguments, 64)
    if pid == 0:
        os._exit(0)
    return "refused" if pid == -1 else "reached"

#: shell | error=PermissionError
import subprocess
def f(port, folder, victim, abstract):
    return subprocess.run(["/bin/sh", "-c", "echo reached"], capture_output=True, text=True).stdout

#: system | ok=refused
import os
def f(port, folder, victim, abstract):
    return "refused" if os.system("true") in (-1, 127 << 8, 256 * 127) else "reached"

#: posixSpawn | error
import os, sys
def f(port, folder, victim, abstract):
    os.posix_spawn(sys.executable, ["python", "-V"], {})
    return "reached"

#: execReplacesUs | error=PermissionError
import os, sys
def f(port, folder, victim, abstract):
    os.execv(sys.executable, ["python", "-c", "print('reached')"])

#: multiprocessingChild | error
import multiprocessing
def f(port, folder, victim, abstract):
    child = multiprocessing.get_context("fork").Process(target=print)
    child.start()
    child.join()
    return "reached"

#: daemon | error=PermissionError
import os, time
def f(port, folder, victim, abstract):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(0.2)
            open(folder + "/new", "w").write("from the daemon")
        os._exit(0)
    time.sleep(0.5)
    return "reached"

#: manyThreads | error=RuntimeError/memory/error=MemoryError/died/timeout | skip=spends all threads of the user
import threading, time
def f(port, folder, victim, abstract):
    for _ in range(10_000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    return "reached"

#: threadOutlivesReturn | ok=refused
import threading, time
def f(port, folder, victim, abstract):
    def later():
        time.sleep(1)
        open(folder + "/new", "w").write("from the thread")
    threading.Thread(target=later).start()
    return "refused"

#: exitHandlerLoops | ok=refused
import atexit
def f(port, folder, victim, abstract):
    def forever():
        while True:
            pass
    atexit.register(forever)
    return "refused"

#: finalizerLoops | ok=refused
class Sticky:
    def __del__(self):
        while True:
            pass
keep = Sticky()
def f(port, folder, victim, abstract):
    return "refused"

#: killAll | error=PermissionError | skip=ends the test's own processes
import os
def f(port, folder, victim, abstract):
    os.kill(-1, 9)

#: killParent | error | skip=ends the zygote
import os
def f(port, folder, victim, abstract):
    os.kill(os.getppid(), 9)
    return "reached"

#: killGroup | error=PermissionError | skip=ends the zygote
import os
def f(port, folder, victim, abstract):
    os.kill(0, 9)

#: killVictim | error
import os
def f(port, folder, victim, abstract):
    os.kill(victim, 9)

#: killVictimByDescriptor | error
import os, signal
def f(port, folder, victim, abstract):
    signal.pidfd_send_signal(os.pidfd_open(victim), 9)

#: queueSignalToVictim | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    return "refused" if ctypes.CDLL(None).sigqueue(victim, 9, None) == -1 else "reached"

#: killByDescriptorOwner | error
import fcntl, os, signal
def f(port, folder, victim, abstract):
    read, write = os.pipe()
    fcntl.fcntl(read, fcntl.F_SETOWN, victim)

#: traceVictim | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    return "refused" if all(libc.ptrace(16, pid, 0, 0) == -1 for pid in (victim, 1)) else "reached"

#: askToBeTraced | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    return "refused" if ctypes.CDLL(None).ptrace(0, 0, 0, 0) == -1 else "reached"

#: stopSelf | ok/timeout/died
import os, signal
def f(port, folder, victim, abstract):
    os.kill(os.getpid(), signal.SIGSTOP)

#: ignoreSignalsAndSpin | timeout
import signal
for number in range(1, 64):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
def f(port, folder, victim, abstract):
    while True:
        pass

#: raiseLimits | error
import resource
def f(port, folder, victim, abstract):
    resource.setrlimit(resource.RLIMIT_CPU, (10**6, 10**6))

#: lowerOwnLimits | error
import resource
def f(port, folder, victim, abstract):
    resource.setrlimit(resource.RLIMIT_NOFILE, (0, 0))

#: limitsOfVictim | error
import resource
def f(port, folder, victim, abstract):
    resource.prlimit(victim, resource.RLIMIT_NOFILE, (0, 0))

#: newUserNamespace | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    return "refused" if ctypes.CDLL(None).unshare(0x10000000) == -1 else "reached"

#: joinNamespace | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    return "refused" if libc.setns(libc.open(b"/proc/1/ns/net", 0), 0) == -1 else "reached"

#: mountOver | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    mounted = libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)
    return "refused" if mounted == -1 and libc.umount2(b"/proc", 2) == -1 else "reached"

#: changeRoot | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    return "refused" if ctypes.CDLL(None).chroot(b"/tmp") == -1 else "reached"

#: outlivesItsParent | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    return "refused" if libc.prctl(1, 0, 0, 0, 0) == -1 and libc.prctl(4, 1, 0, 0, 0) == -1 else "reached"

#: rareKernelDoors | ok=refused | skip=leaves something behind
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    # bpf, perf_event_open, userfaultfd, io_uring_setup, keyctl, add_key, personality, memfd_create,
    # fanotify_init, inotify_init1, open_by_handle_at, kexec_load, init_module, shmget, msgget, semget,
    # mq_open, timer_create, seccomp, landlock_create_ruleset, quotactl, acct, syslog
    doors = (321, 298, 323, 425, 250, 248, 135, 319, 300, 294, 304, 246, 175, 29, 68, 64, 240, 222, 317,
             444, 179, 163, 103)
    opened = [number for number in doors if libc.syscall(number, 0, 0, 0, 0, 0) >= 0]
    return "reached" if opened else "refused"

#: pinProcessor | error
import os
def f(port, folder, victim, abstract):
    os.sched_setaffinity(0, {0})
    os.nice(5)

#: x32Convention | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None, use_errno=True)
    return "refused" if libc.syscall(0x40000000 + 41, 2, 1, 0) == -1 else "reached"

#: thirtyTwoBitConvention | died/ok=refused
import ctypes, mmap
def f(port, folder, victim, abstract):
    # mov eax, 20 (getpid of the 32-bit table); int 0x80; ret
    space = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    space.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")
    address = ctypes.addressof(ctypes.c_char.from_buffer(space))
    result = ctypes.CFUNCTYPE(ctypes.c_int)(address)()
    return "reached" if result > 0 else "refused"
