# Devices, the kernel's file systems and the sockets of services.

#: prelude
import os
def opened(paths, flags=os.O_RDONLY):
    """The paths of these that can be opened."""
    found = []
    for path in paths:
        try:
            os.close(os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY))
            found.append(path)
        except OSError:
            pass
    return ",".join(found) or "refused"

#: devicesShown | ok=refused
def f(port, folder, victim, abstract):
    try:
        shown = set(os.listdir("/dev"))
    except OSError:
        return "refused"
    return "refused" if shown <= {"null", "zero", "full", "random", "urandom"} else "reached"

#: memoryDevices | ok=refused
def f(port, folder, victim, abstract):
    return opened(("/dev/mem", "/dev/kmem", "/dev/port", "/dev/kmsg", "/dev/nvram", "/proc/kcore"))

#: terminals | ok=refused
def f(port, folder, victim, abstract):
    return opened(["/dev/tty", "/dev/console", "/dev/ptmx", "/dev/pts/ptmx"] + ["/dev/pts/%d" % n for n in range(16)]
                  + ["/dev/tty%d" % n for n in range(8)])

#: disks | ok=refused
def f(port, folder, victim, abstract):
    return opened(("/dev/sda", "/dev/vda", "/dev/nvme0n1", "/dev/loop0", "/dev/loop-control", "/dev/mapper/control",
                   "/dev/fuse", "/dev/btrfs-control"))

#: accelerators | ok=refused
def f(port, folder, victim, abstract):
    return opened(("/dev/kvm", "/dev/nvidia0", "/dev/nvidiactl", "/dev/dri/card0", "/dev/dri/renderD128", "/dev/net/tun",
                   "/dev/vhost-vsock", "/dev/vsock", "/dev/uinput", "/dev/rfkill", "/dev/userfaultfd"))

#: sharedMemoryFolder | ok=refused | skip=leaves something behind
def f(port, folder, victim, abstract):
    return opened(("/dev/shm/left-behind", "/dev/mqueue/left-behind", "/dev/hugepages/left-behind"), os.O_RDWR | os.O_CREAT)

#: descriptorFolder | ok=refused | only=L3
def f(port, folder, victim, abstract):
    return opened(["/dev/fd/%d" % n for n in range(8)] + ["/dev/stdin", "/dev/stdout", "/proc/self/fd/3"], os.O_RDWR)

#: entropyDevice | error=PermissionError
import fcntl
def f(port, folder, victim, abstract):
    fcntl.ioctl(os.open("/dev/urandom", os.O_RDONLY), 0x5207, 0)  # mixes into the machine's entropy
    return "reached"

#: entropyCount | error=PermissionError
import fcntl
def f(port, folder, victim, abstract):
    return fcntl.ioctl(os.open("/dev/urandom", os.O_RDONLY), 0x80045200, b"1234").hex()

#: ownMemoryFile | ok=refused
def f(port, folder, victim, abstract):
    return opened(("/proc/self/mem", "/proc/self/maps", "/proc/self/environ", "/proc/self/auxv"))

#: ownControls | ok=refused
def f(port, folder, victim, abstract):
    return opened(["/proc/self/" + name for name in ("oom_score_adj", "setgroups", "uid_map", "comm", "attr/current",
                  "coredump_filter", "timerslack_ns", "clear_refs", "loginuid")], os.O_WRONLY)

#: ownNamespaceFiles | ok=refused | only=L3
def f(port, folder, victim, abstract):
    return opened("/proc/%s/ns/%s" % (who, kind) for who in ("self", "thread-self")
                  for kind in ("user", "net", "mnt", "pid", "ipc", "uts", "cgroup", "time"))

#: namespaceFilesOfOthers | ok=refused
def f(port, folder, victim, abstract):
    return opened("/proc/%d/ns/%s" % (who, kind) for who in (1, victim, os.getppid())
                  for kind in ("user", "net", "mnt", "pid", "ipc", "uts", "cgroup", "time"))

#: machineFacts | ok=refused
def f(port, folder, victim, abstract):
    return opened("/proc/" + name for name in ("mounts", "net/tcp", "net/unix", "cpuinfo", "cmdline", "keys", "modules",
                  "kallsyms", "meminfo", "stat", "loadavg", "locks", "sys/kernel/random/boot_id", "version"))

#: machineSwitches | ok=refused
def f(port, folder, victim, abstract):
    return opened(("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/modprobe",
                   "/proc/sys/vm/overcommit_memory", "/proc/sys/kernel/ns_last_pid", "/sys/power/state",
                   "/sys/kernel/uevent_helper"), os.O_WRONLY)

#: systemFolder | ok=refused
def f(port, folder, victim, abstract):
    return opened(("/sys", "/sys/class/net", "/sys/fs/cgroup", "/sys/kernel/debug", "/sys/fs/bpf", "/sys/devices"))

#: controlGroups | ok=refused
def f(port, folder, victim, abstract):
    return opened(("/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/cgroup.kill"), os.O_WRONLY)

#: serviceSockets | ok=refused
def f(port, folder, victim, abstract):
    found = [path for path in ("/run/docker.sock", "/var/run/docker.sock", "/run/containerd/containerd.sock",
             "/run/dbus/system_bus_socket", "/run/systemd/private", "/tmp/.X11-unix", "/run/user") if os.access(path, os.W_OK)]
    return ",".join(found) or "refused"

#: secretsOfUsers | ok=refused
import glob
def f(port, folder, victim, abstract):
    paths = ["/etc/shadow", "/etc/passwd", "/etc/hosts", "/etc/machine-id", "/etc/resolv.conf", "/etc/ssl/openssl.cnf"]
    for home in ["/root"] + glob.glob("/home/*") + [os.path.expanduser("~")]:
        paths += [home + name for name in ("/.ssh/id_rsa", "/.ssh/id_ed25519", "/.netrc", "/.bash_history", "/.gitconfig",
                                           "/.config", "/.cache", "/.aws/credentials", "/.npmrc", "/.pypirc")]
    return opened(paths)

#: linkToTheOutside | ok=refused | skip=leaves something behind
def f(port, folder, victim, abstract):
    for name, goal in (("a", folder), ("b", "/proc/1/root"), ("c", "/root"), ("d", "../../../../.." + folder)):
        try:
            os.symlink(goal, "/tmp/" + name)
            return ",".join(os.listdir("/tmp/" + name))
        except OSError:
            pass
    return "refused"

#: swapLinkWhileOpening | ok=refused | skip=leaves something behind
import threading
def f(port, folder, victim, abstract):
    stop = []
    def swap():
        while not stop:
            for goal in ("/tmp/plain", folder + "/canary"):
                try:
                    os.symlink(goal, "/tmp/next")
                    os.replace("/tmp/next", "/tmp/link")
                except OSError:
                    return
    threading.Thread(target=swap, daemon=True).start()
    for _ in range(2000):
        try:
            with open("/tmp/link") as file:
                return file.read()
        except OSError:
            pass
    stop.append(1)
    return "refused"

#: folderHandle | ok=refused
def f(port, folder, victim, abstract):
    # a folder held open from before a change of root would be a way out; there is none
    for fd in range(256):
        for step in ("..", "../../../../.."):
            try:
                os.close(os.open(step + folder + "/canary", os.O_RDONLY, dir_fd=fd))
                return "reached"
            except OSError:
                pass
    return "refused"

#: changeDirectoryByDescriptor | ok=refused
def f(port, folder, victim, abstract):
    for fd in range(256):
        try:
            os.fchdir(fd)
            return "reached"
        except OSError:
            pass
    return "refused"
