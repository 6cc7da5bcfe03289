# What would carry something from one job to another through the machine itself: which pages of a library are
# in memory, locks and waiting on the files that all jobs read, figures of the whole machine (x86-64 numbers).

#: prelude
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = libc.mmap.restype = ctypes.c_long
def call(number, *values):
    """True when the filter let the call through."""
    ctypes.set_errno(0)
    plain = [ctypes.c_long(value) if isinstance(value, int) else value for value in values]
    return libc.syscall(number, *plain) != -1 or ctypes.get_errno() not in (1, 38)
def told(*doors):
    return "reached" if any(doors) else "refused"
def library():
    return os.open(os.__file__, os.O_RDONLY)
def page(flags=2):
    """A page of a library, mapped to be read; -1 when that was refused."""
    return libc.mmap(None, ctypes.c_long(4096), 1, flags, library(), ctypes.c_long(0))

#: dropCachedPages | ok=refused
def f(port, folder, victim, abstract):
    return told(*(call(221, library(), 0, 4096, advice) for advice in range(6)), call(187, library(), 0, 4096))

#: askWhatIsCached | ok=refused
def f(port, folder, victim, abstract):
    space = ctypes.create_string_buffer(4096)
    return told(call(27, page(), 4096, space), call(451, library(), struct.pack("QQ", 0, 4096), space, 0))

#: readOnlyWhatIsCached | ok=refused
def f(port, folder, victim, abstract):
    space = ctypes.create_string_buffer(4096)
    vector = struct.pack("QQ", ctypes.addressof(space), 4096)
    return told(*(call(327, library(), vector, 1, 0, 0, flags) for flags in (1, 8, 64)))

#: writeWithFlags | ok=refused
def f(port, folder, victim, abstract):
    read, write = os.pipe()
    space = ctypes.create_string_buffer(8)
    return told(call(328, write, struct.pack("QQ", ctypes.addressof(space), 8), 1, -1, -1, 8))

#: adviseOnPages | ok=refused
def f(port, folder, victim, abstract):
    # wanted soon, cold, pushed out, filled now, merged with equal ones
    return told(*(call(28, page(), 4096, advice) for advice in (3, 20, 21, 22, 12)))

#: countReadsFromDisk | ok=refused
def f(port, folder, victim, abstract):
    return told(*(call(98, who, ctypes.create_string_buffer(144)) for who in (0, 1, -1)))

#: recordLockOfALibrary | ok=refused
def f(port, folder, victim, abstract):
    lock = ctypes.create_string_buffer(struct.pack("hhqqi", 0, 0, 0, 1, 0), 64)
    # ask, take, take and wait; the same for locks of an open file
    return told(*(call(72, library(), command, lock) for command in (5, 6, 7, 36, 37, 38)))

#: sharedPageOfALibrary | ok=refused
def f(port, folder, victim, abstract):
    return told(page(1) != -1, page(3) != -1)

#: wakeOthersOnALibrary | ok=refused
def f(port, folder, victim, abstract):
    where = page()
    # wake, requeue, wake with a mask; wait on several at once
    waiter = struct.pack("QQII", 0, where, 2, 0)
    return told(call(202, where, 1, 1), call(202, where, 3, 1, 0, where, 0), call(202, where, 10, 1, 0, 0, -1),
                call(449, waiter, 1, 0, struct.pack("QQ", 0, 0), 1))

#: wakeWhenAThreadEnds | ok=refused
def f(port, folder, victim, abstract):
    return told(call(218, page()))

#: figuresOfTheMachine | ok=refused
def f(port, folder, victim, abstract):
    return told(call(99, ctypes.create_string_buffer(128)))
