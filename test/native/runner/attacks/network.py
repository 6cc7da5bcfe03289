# Reaching anything by network. Every program gets f(port, folder, victim, abstract): a TCP and UDP port
# on the loopback interface that somebody listens on, a folder with a canary and a victim file, the pid
# of a process of the same user, and the name of an abstract Unix socket somebody listens on.

#: tcpConnect | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    socket.create_connection(("127.0.0.1", port), timeout=1).send(b"hello")

#: udpSend | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", ("127.0.0.1", port))

#: tcpConnectIpv6 | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    socket.socket(socket.AF_INET6, socket.SOCK_STREAM)

#: abstractUnixConnect | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    channel = socket.socket(socket.AF_UNIX)
    channel.connect("\0" + abstract)
    channel.send(b"hello")

#: dnsLookup | error
import socket
def f(port, folder, victim, abstract):
    return socket.getaddrinfo("example.invalid", 80)

#: rawSocket | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)

#: netlinkSocket | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).bind((0, 0))

#: ctypesConnect | ok=refused
import ctypes, struct
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None, use_errno=True)
    fd = libc.socket(2, 1, 0)
    address = struct.pack("<H", 2) + struct.pack(">H", port) + bytes([127, 0, 0, 1]) + bytes(8)
    return "reached" if fd >= 0 and libc.connect(fd, address, 16) == 0 else "refused"

#: serveOnAllAddresses | error=PermissionError
import http.server
def f(port, folder, victim, abstract):
    http.server.HTTPServer(("0.0.0.0", 0), http.server.SimpleHTTPRequestHandler)

#: urllibLoopback | error=URLError
import urllib.request
def f(port, folder, victim, abstract):
    return urllib.request.urlopen("http://127.0.0.1:%d/" % port, timeout=1).read().decode()

#: pairThenSendElsewhere | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.sendto(b"hello", "\0" + abstract)

#: pairThenConnectElsewhere | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    left.connect("\0" + abstract)

#: passDescriptor | error=PermissionError
import os, socket
def f(port, folder, victim, abstract):
    left, right = socket.socketpair()
    socket.send_fds(left, [b"x"], [os.open("/", os.O_RDONLY)])

#: uringSocket | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc = ctypes.CDLL(None, use_errno=True)
    return "reached" if libc.syscall(425, 4, ctypes.create_string_buffer(256)) >= 0 else "refused"

#: familiesOfAllKinds | ok=refused
import socket
def f(port, folder, victim, abstract):
    # IPX, X.25, packet, netlink, key, CAN, TIPC, Bluetooth, ALG, NFC, vsock, KCM, SMC, XDP, MCTP
    for family in (4, 9, 17, 16, 15, 29, 30, 31, 38, 39, 40, 41, 43, 44, 45):
        for kind in (1, 2, 3, 5):
            try:
                socket.socket(family, kind, 0).close()
                return "reached"
            except PermissionError:
                pass
    return "refused"

#: cipherSocket | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET).bind(("hash", "sha256"))

#: hypervisorSocket | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    socket.socket(40, socket.SOCK_STREAM).connect((2, port))

#: packetCapture | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    return len(socket.socket(17, socket.SOCK_RAW, socket.htons(3)).recv(1))

#: pairOfOtherFamilies | ok=refused
import ctypes
def f(port, folder, victim, abstract):
    libc, fds = ctypes.CDLL(None, use_errno=True), (ctypes.c_int * 2)()
    for family in (2, 10, 16, 30, 38, 40):
        ctypes.set_errno(0)
        if libc.socketpair(family, 1, 0, fds) == 0 or ctypes.get_errno() != 1:
            return "reached"
    return "refused"

#: manyMessagesElsewhere | ok=refused
import ctypes, socket, struct
def f(port, folder, victim, abstract):
    left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    name = ctypes.create_string_buffer(b"\x01\0\0" + abstract.encode())
    vector = ctypes.create_string_buffer(struct.pack("QQ", ctypes.addressof(name), 4))
    header = struct.pack("QIxxxxQQQQixxxx", ctypes.addressof(name), 3 + len(abstract), ctypes.addressof(vector), 1, 0, 0, 0)
    libc = ctypes.CDLL(None, use_errno=True)
    tried = libc.syscall(46, left.fileno(), header, 0), libc.syscall(307, left.fileno(), header + bytes(8), 1, 0)
    return "refused" if tried == (-1, -1) and ctypes.get_errno() == 1 else "reached"

#: listenOnAPair | ok=refused
import socket
def f(port, folder, victim, abstract):
    left, right = socket.socketpair()
    for attempt in (lambda: left.bind("\0left-4d1f"), left.listen, left.accept, lambda: left.setsockopt(1, 2, 1),
                    lambda: left.getsockopt(1, 17), left.getsockname):
        try:
            attempt()
            return "reached"
        except OSError:
            pass
    return "refused"

#: multicast | error=PermissionError
import socket
def f(port, folder, victim, abstract):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"hello", ("224.0.0.1", port))

#: asynchronousClient | error
import asyncio
def f(port, folder, victim, abstract):
    asyncio.run(asyncio.open_connection("127.0.0.1", port))
    return "reached"
