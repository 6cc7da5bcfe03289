# Reading what a program has no business with. The canary's text must appear nowhere in any reply.

#: canaryByPath | error
def f(port, folder, victim, abstract):
    return open(folder + "/canary").read()

#: canaryByOsOpen | error
import os
def f(port, folder, victim, abstract):
    return os.read(os.open(folder + "/canary", os.O_RDONLY), 1000).decode()

#: canaryByCtypes | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    fd = libc.open((folder + "/canary").encode(), 0)
    buffer = ctypes.create_string_buffer(1000)
    return buffer.raw[:libc.read(fd, buffer, 1000)].decode() if fd >= 0 else "refused"

#: canaryByOpenat2 | ok=refused
import ctypes, os
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    fd = libc.syscall(437, -100, (folder + "/canary").encode(), bytes(24), 24)
    return os.read(fd, 1000).decode() if fd >= 0 else "refused"

#: walkFromRoot | ok
import os
def f(port, folder, victim, abstract):
    found = []
    for place, folders, files in os.walk("/"):
        folders[:] = [name for name in folders if name not in ("usr", "lib", "lib64", "proc", "sys")]
        for name in files:
            if name == "canary":
                try:
                    found.append(open(os.path.join(place, name)).read())
                except OSError:
                    pass
    return found

#: rootOfInit | error
def f(port, folder, victim, abstract):
    return open("/proc/1/root" + folder + "/canary").read()

#: rootOfVictim | error
def f(port, folder, victim, abstract):
    return open("/proc/%d/root%s/canary" % (victim, folder)).read()

#: environmentOfVictim | error
def f(port, folder, victim, abstract):
    return open("/proc/%d/environ" % victim, "rb").read().decode()

#: commandLinesOfAll | ok=refused
import os
def f(port, folder, victim, abstract):
    seen = 0
    for pid in range(1, 4000):
        try:
            seen += bool(open("/proc/%d/cmdline" % pid).read())
        except OSError:
            pass
    return "reached" if seen else "refused"

#: memoryOfVictim | error
def f(port, folder, victim, abstract):
    return len(open("/proc/%d/mem" % victim, "rb").read(1))

#: processVmReadv | ok=refused
import ctypes, os, struct
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None, use_errno=True)
    space = ctypes.create_string_buffer(64)
    vector = struct.pack("QQ", ctypes.addressof(space), 64)
    if libc.process_vm_readv(os.getpid(), vector, 1, vector, 1, 0) != -1:
        return "reached"
    ctypes.set_errno(0)
    result = libc.process_vm_readv(victim, vector, 1, vector, 1, 0)
    return "refused" if result == -1 and ctypes.get_errno() in (1, 3, 38) else "reached"

#: symlinkThenRead | error
import os
def f(port, folder, victim, abstract):
    os.symlink(folder + "/canary", "/tmp/link")
    return open("/tmp/link").read()

#: hardLinkThenRead | error
import os
def f(port, folder, victim, abstract):
    os.link(folder + "/canary", "/tmp/link")
    return open("/tmp/link").read()

#: climbOut | error
import os
def f(port, folder, victim, abstract):
    return open("../" * 20 + folder.lstrip("/") + "/canary").read()

#: inheritedDescriptors | ok=refused
import os, stat
def f(port, folder, victim, abstract):
    for fd in range(3, 256):
        try:
            if not stat.S_ISFIFO(os.fstat(fd).st_mode):
                return "reached"
            os.set_blocking(fd, False)
            if os.read(fd, 100):
                return "reached"
        except OSError:
            pass
    return "refused"

#: environmentDump | ok
import os
def f(port, folder, victim, abstract):
    return sorted(os.environ.items())

#: homeFolders | ok=refused
import glob, os
def f(port, folder, victim, abstract):
    found = []
    for place in ("/home", "/root", "/srv", "/opt", "/mnt", "/var/log", folder):
        try:
            found += os.listdir(place)
        except OSError:
            pass
    return "reached" if found else "refused"

#: passwordFile | error
def f(port, folder, victim, abstract):
    return open("/etc/passwd").read()

#: kernelLog | error
def f(port, folder, victim, abstract):
    return open("/dev/kmsg", "rb").read(1).decode()

#: fileHandle | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    handle = ctypes.create_string_buffer(b"\x80" + bytes(200), 201)
    mount = ctypes.c_int()
    result = libc.name_to_handle_at(-100, (folder + "/canary").encode(), handle, ctypes.byref(mount), 0)
    return "refused" if result == -1 else "reached"

#: environmentInMemory | ok
import ctypes
def f(port, folder, victim, abstract):
    block = ctypes.POINTER(ctypes.c_char_p).in_dll(ctypes.CDLL(None), "environ")
    found, index = [], 0
    while block and block[index]:
        found.append(block[index].decode())
        index += 1
    return found

#: argumentsInMemory | ok
import ctypes, sys
def f(port, folder, victim, abstract):
    # what the kernel put at the top of the stack: arguments and the environment of the start
    libc = ctypes.CDLL(None)
    libc.write.argtypes = (ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t)
    import os
    read, write = os.pipe()
    start, text = ctypes.c_void_p.in_dll(libc, "program_invocation_name").value, b""
    while libc.write(write, start // 4096 * 4096 + len(text), 4096) == 4096 and len(text) < 1 << 20:
        text += os.read(read, 4096)
    return len(text), text.count(b"canary"), [part.decode("latin-1") for part in text.split(b"\0") if b"SECRET" in part]

#: terminalLines | ok=refused
import ctypes, os
def f(port, folder, victim, abstract):
    for fd in range(64):
        try:
            if os.isatty(fd) or os.ttyname(fd):
                return "reached"
        except OSError:
            pass
    return "refused"

#: randomOfTheMachine | error
def f(port, folder, victim, abstract):
    return open("/proc/sys/kernel/random/boot_id").read()

#: sourceOfTheJudge | error
import inspect, sys
def f(port, folder, victim, abstract):
    return inspect.getsource(sys.modules["inside.zygote"])
