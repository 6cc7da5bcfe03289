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
