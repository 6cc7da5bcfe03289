# Doors of the kernel that a computation never needs, each tried the way it would work without a filter
# (x86-64 numbers). "refused" means the filter's own answer: any other error came from behind the door.

#: prelude
import ctypes, os, struct
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
def call(number, *values):
    """True when the filter let the call through."""
    ctypes.set_errno(0)
    plain = [ctypes.c_long(value) if isinstance(value, int) else value for value in values]
    return libc.syscall(number, *plain) != -1 or ctypes.get_errno() not in (1, 38)
def told(*doors):
    return "reached" if any(doors) else "refused"

#: memoryFile | ok=refused
def f(port, folder, victim, abstract):
    return told(call(319, b"program", 0), call(447, 0))

#: executeByDescriptor | ok=refused
import sys
def f(port, folder, victim, abstract):
    fd = os.open(sys.executable, os.O_RDONLY)
    arguments = (ctypes.c_char_p * 3)(b"python", b"-V", None)
    return told(call(322, fd, b"", arguments, 0, 0x1000))

#: ringSetup | ok=refused
def f(port, folder, victim, abstract):
    return told(call(425, 8, ctypes.create_string_buffer(120)), call(426, 0, 1, 0, 0, 0), call(427, 0, 0, 0, 0))

#: pageFaultHandler | ok=refused
def f(port, folder, victim, abstract):
    return told(call(323, 1), call(323, 0o2000000))

#: performanceCounter | ok=refused
def f(port, folder, victim, abstract):
    wanted = ctypes.create_string_buffer(struct.pack("IIQ", 1, 128, 0) + bytes(112), 128)
    return told(call(298, wanted, 0, -1, -1, 0), call(298, wanted, victim, -1, -1, 0))

#: kernelProgram | ok=refused
def f(port, folder, victim, abstract):
    array = ctypes.create_string_buffer(struct.pack("IIII", 2, 4, 8, 1), 120)
    return told(call(321, 0, array, 120))

#: sessionKeyring | ok=refused | skip=leaves something behind
def f(port, folder, victim, abstract):
    return told(call(250, 0, -3, 1), call(250, 1, b"anchor"), call(248, b"user", b"left", b"behind", 6, -4),
                call(249, b"user", b"left", 0, -4))

#: noAddressRandomization | ok=refused
def f(port, folder, victim, abstract):
    return told(call(135, 0x0040000), call(135, 0xffffffff))

#: adjustClock | ok=refused
def f(port, folder, victim, abstract):
    return told(call(159, ctypes.create_string_buffer(512)), call(305, 0, ctypes.create_string_buffer(512)),
                call(164, struct.pack("QQ", 1, 0), 0), call(227, 0, struct.pack("QQ", 1, 0)))

#: processControls | ok=refused
def f(port, folder, victim, abstract):
    # parent death signal, dumpable, keep capabilities, seccomp, memory map, tracer, reaper, ambient
    options = ((1, 0), (4, 1), (8, 1), (22, 0), (35, 1), (0x59616d61, -1), (36, 1), (47, 2), (24, 1), (23, 1))
    return told(*(call(157, option, value, 0, 0, 0) for option, value in options))

#: controlsWithHighBits | ok=refused
def f(port, folder, victim, abstract):
    return told(call(157, (1 << 32) | 4, 1, 0, 0, 0), call(16, 0, (1 << 32) | 0x5412, b"x"),
                call(72, 0, (1 << 32) | 1031, 1 << 20), call(53, (1 << 32) | 16, 3, 0, bytes(8)))

#: filterOfOnesOwn | ok=refused
def f(port, folder, victim, abstract):
    program = ctypes.create_string_buffer(struct.pack("HBBI", 6, 0, 0, 0x7FFF0000))
    filled = struct.pack("HxxxxxxQ", 1, ctypes.addressof(program))
    return told(call(317, 1, 0, filled), call(317, 1, 8, filled), call(444, 0, 0, 1), call(446, 0, 0))

#: descriptorOfAnother | ok=refused
def f(port, folder, victim, abstract):
    return told(*(call(434, pid, 0) for pid in (victim, 1, os.getppid() or 1, os.getpid())),
                call(438, 3, 0, 0), call(424, 3, 9, 0, 0))

#: compareWithAnother | ok=refused
def f(port, folder, victim, abstract):
    return told(call(312, os.getpid(), victim, 1, 0, 0), call(311, victim, 0, 0, 0, 0, 0),
                call(440, 3, 0, 0, 4, 0), call(448, 3, 0))

#: childByClone | ok=refused | skip=its children share its memory
def f(port, folder, victim, abstract):
    # plain, sharing memory, as a sibling, in new namespaces: every way but a thread
    for flags in (17, 0x4100 | 17, 0x8000 | 17, 0x10000000 | 17, 0x20000000 | 17, 0x7E020000 | 17):
        ctypes.set_errno(0)
        pid = libc.syscall(56, ctypes.c_long(flags), 0, 0, 0, 0)
        if pid == 0:
            os._exit(0)
        if pid > 0 or ctypes.get_errno() != 1:
            return "reached"
    return "refused"

#: threadInNewNamespace | ok=refused | skip=its children share its memory
def f(port, folder, victim, abstract):
    for space in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
        ctypes.set_errno(0)
        if libc.syscall(56, ctypes.c_long(0x3D0F00 | space), 0, 0, 0, 0) != -1 or ctypes.get_errno() != 1:
            return "reached"
    return "refused"

#: unshareLittle | ok=refused
def f(port, folder, victim, abstract):
    return told(*(call(272, flags) for flags in (0x200, 0x400, 0x40000, 0x20000, 0x4000000, 0x10000000 | 0x40000000)))

#: joinByNumber | ok=refused
def f(port, folder, victim, abstract):
    return told(*(call(308, fd, 0) for fd in range(8)))

#: newMountCalls | ok=refused
def f(port, folder, victim, abstract):
    return told(call(430, b"tmpfs", 0), call(428, -100, b"/", 1), call(429, 3, b"", -100, b"/tmp", 4),
                call(432, 3, 0, 0, 0, 0), call(155, b".", b"."), call(442, -100, b"/", 0, bytes(32), 32))

#: becomeRoot | ok=refused
def f(port, folder, victim, abstract):
    return told(call(105, 0), call(106, 0), call(113, 0, 0), call(117, 0, 0, 0), call(116, 1, bytes(4)), call(122, 0),
                call(126, struct.pack("Ii", 0x20080522, 0), b"\xff" * 24))

#: machineControls | ok=refused | skip=asks for a reboot, a host name and more
def f(port, folder, victim, abstract):
    # reboot, host and domain name, swap, kernel log, accounting, modules, kexec, ports, quotas
    return told(call(169, 0xfee1dead, 672274793, 0), call(170, b"gone", 4), call(171, b"gone", 4), call(167, b"/x", 0),
                call(103, 10, 0, 0), call(163, 0), call(175, b"", 0, b""), call(313, 0, b"", 0), call(246, 0, 0, 0, 0),
                call(172, 3), call(173, 0, 1, 1), call(179, 0, 0, 0, 0), call(153))

#: segmentTable | ok=refused
def f(port, folder, victim, abstract):
    return told(call(154, 0, ctypes.create_string_buffer(64), 64), call(134, b"/lib"), call(205, bytes(16)))

#: sharedSegment | ok=refused | skip=leaves something behind
def f(port, folder, victim, abstract):
    return told(call(29, 0x4d1f, 4096, 0o1666), call(30, 0, 0, 0), call(31, 0, 0, 0))

#: messageQueues | ok=refused | skip=leaves something behind
def f(port, folder, victim, abstract):
    return told(call(68, 0x4d1f, 0o1666), call(240, b"left-behind", 0o102, 0o666, 0))

#: semaphores | ok=refused | skip=leaves something behind
def f(port, folder, victim, abstract):
    return told(call(64, 0x4d1f, 1, 0o1666), call(65, 0, bytes(6), 1), call(66, 0, 0, 16, 1))

#: watchFiles | ok=refused
def f(port, folder, victim, abstract):
    return told(call(253), call(294, 0), call(300, 0, 0), call(254, 3, folder.encode(), 0xfff))

#: timersAndSignalFiles | ok=refused
def f(port, folder, victim, abstract):
    return told(call(283, 1, 0), call(222, 1, 0, ctypes.create_string_buffer(8)), call(289, -1, bytes(8), 8, 0))

#: overtakeOthers | ok=refused
def f(port, folder, victim, abstract):
    return told(call(144, 0, 1, struct.pack("i", 99)), call(141, 0, 0, -20), call(251, 1, 0, 0x2000),
                call(203, 0, 8, b"\xff" * 8), call(314, 0, bytes(56), 0), call(142, 0, struct.pack("i", 0)))

#: placeMemory | ok=refused
def f(port, folder, victim, abstract):
    return told(call(151, 3), call(149, 0, 4096), call(237, 0, 4096, 0, 0, 0, 0), call(256, victim, 64, bytes(8), bytes(8)),
                call(279, victim, 0, 0, 0, 0, 0), call(238, 0, 0, 0), call(329, 0, 4096, 0, 0), call(330, 0, 0), call(447, 0))

#: movePagesThroughPipes | ok=refused
def f(port, folder, victim, abstract):
    read, write = os.pipe()
    return told(call(278, write, struct.pack("QQ", id(folder), 16), 1, 8), call(275, read, 0, write, 0, 16, 0),
                call(276, read, write, 16, 0))

#: signalsOfOtherKinds | ok=refused
def f(port, folder, victim, abstract):
    others = {victim, 1, os.getppid()} - {0, os.getpid()}
    queued = struct.pack("iii", 0, 0, -1) + bytes(116)
    return told(*(call(200, pid, 0) for pid in others), *(call(129, pid, 0, queued) for pid in others),
                *(call(297, pid, pid, 0, queued) for pid in others), *(call(234, pid, pid, 0) for pid in others))

#: attachWithoutStopping | ok=refused
def f(port, folder, victim, abstract):
    return told(*(call(101, 0x4206, pid, 0, 0) for pid in (victim, 1, os.getppid() or 1)), call(101, 0, 0, 0, 0))

#: groupsOfOthers | ok=refused
def f(port, folder, victim, abstract):
    return told(call(109, victim, victim), call(112), call(109, 0, 0))

#: ownersOfDescriptors | ok=refused
def f(port, folder, victim, abstract):
    read, write = os.pipe()
    # owner, signal, extended owner, lease, notification, growth of a pipe, seals
    commands = ((8, victim), (10, 9), (15, 0), (1024, 1), (1026, 1), (1031, 1 << 20), (1033, 1))
    return told(*(call(72, read, command, value) for command, value in commands))

#: lockOfALibrary | ok=refused
import sys
def f(port, folder, victim, abstract):
    return told(call(73, os.open(sys.executable, os.O_RDONLY), 2 | 4))

#: clocksOfOthers | ok=refused
def f(port, folder, victim, abstract):
    others = (victim, os.getppid() or 1, 1)
    return told(*(call(number, (~pid << 3) | kind, bytes(16), bytes(16)) for pid in others for kind in (0, 2)
                  for number in (228, 229)))

#: questionsAboutOthers | ok=refused
def f(port, folder, victim, abstract):
    space = ctypes.create_string_buffer(128)
    return told(*(call(number, victim, 128, space) for number in (121, 124, 145, 204, 143)), call(140, 0, victim),
                call(302, victim, 7, 0, space), call(274, victim, space, space))
