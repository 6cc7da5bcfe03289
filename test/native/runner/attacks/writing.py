# Changing anything outside. The victim file, its mode and its folder must be as they were.

#: overwriteVictim | error
def f(port, folder, victim, abstract):
    open(folder + "/victim", "w").write("gone")

#: appendVictimLowLevel | error
import os
def f(port, folder, victim, abstract):
    os.write(os.open(folder + "/victim", os.O_WRONLY | os.O_APPEND), b"gone")

#: createBesideVictim | error
def f(port, folder, victim, abstract):
    open(folder + "/new", "w").write("here")

#: deleteVictim | error
import os
def f(port, folder, victim, abstract):
    os.unlink(folder + "/victim")

#: renameVictim | error
import os
def f(port, folder, victim, abstract):
    os.rename(folder + "/victim", folder + "/moved")

#: truncateVictim | error
import os
def f(port, folder, victim, abstract):
    os.truncate(folder + "/victim", 0)

#: makeFolder | error
import os
def f(port, folder, victim, abstract):
    os.mkdir(folder + "/made")

#: chmodVictim | error=PermissionError/error=FileNotFoundError
import os
def f(port, folder, victim, abstract):
    os.chmod(folder + "/victim", 0)

#: chownVictim | error
import os
def f(port, folder, victim, abstract):
    os.chown(folder + "/victim", -1, os.getegid())

#: touchVictim | error
import os
def f(port, folder, victim, abstract):
    os.utime(folder + "/victim", (1, 1))

#: attributeOnVictim | error
import os
def f(port, folder, victim, abstract):
    os.setxattr(folder + "/victim", "user.mark", b"here")

#: chmodByNewerCall | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None)
    return "refused" if libc.syscall(452, -100, (folder + "/victim").encode(), 0, 0) == -1 else "reached"

#: symlinkIntoFolder | error
import os
def f(port, folder, victim, abstract):
    os.symlink("/usr", folder + "/link")

#: fillTemporary | error/output/died | skip=fills a real folder
def f(port, folder, victim, abstract):
    index = 0
    while True:
        with open("/tmp/fill%d" % index, "wb") as file:
            file.write(bytes(1 << 20))
        index += 1

#: manyFiles | error | skip=fills a real folder
def f(port, folder, victim, abstract):
    for index in range(10**6):
        open("/tmp/many%d" % index, "w").close()

#: hugeSparseFile | error/died | skip=makes a real file
import os
def f(port, folder, victim, abstract):
    fd = os.open("/tmp/sparse", os.O_RDWR | os.O_CREAT)
    os.ftruncate(fd, 1 << 40)

#: writeLibraryPath | error
import sysconfig
def f(port, folder, victim, abstract):
    open(sysconfig.get_path("stdlib") + "/evil.pth", "w").write("import os")

#: writeCorePattern | error
def f(port, folder, victim, abstract):
    open("/proc/sys/kernel/core_pattern", "w").write("|/bin/sh")

#: makeDevice | error
import os
def f(port, folder, victim, abstract):
    os.mknod("/tmp/device", 0o020666, os.makedev(1, 1))

#: sharedMemoryFile | error
def f(port, folder, victim, abstract):
    open("/dev/shm/left-behind", "w").write("here")

#: typeIntoTerminal | ok=refused
import ctypes, fcntl, os
def f(port, folder, victim, abstract):
    for fd in (0, 1, 2):
        try:
            fcntl.ioctl(fd, 0x5412, b"x")
            return "reached"
        except OSError:
            pass
    try:
        os.open("/dev/tty", os.O_RDWR)
        return "reached"
    except OSError:
        return "refused"
