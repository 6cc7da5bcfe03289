"""First code of a zygote, passed with -c. Its own modules arrive over the broker's socket, so the
sandbox needs no path of the application, and the application may lie where the sandbox's user
cannot read. Usage: boot.py SOCKET_FD
"""

import json
import socket
import struct
import sys
import types

channel = socket.socket(fileno=int(sys.argv[1]))


def receive(size: int) -> bytes:
    parts = b""
    while len(parts) < size:
        part = channel.recv(size - len(parts))
        if not part:
            sys.exit("the broker closed the channel during start")
        parts += part
    return parts


settings = json.loads(receive(struct.unpack(">I", receive(4))[0]))
package = sys.modules["inside"] = types.ModuleType("inside")
package.__path__ = []
for name, source in settings["modules"]:
    module = sys.modules["inside." + name] = types.ModuleType("inside." + name)
    setattr(package, name, module)
    exec(compile(source, "inside/" + name + ".py", "exec", dont_inherit=True), module.__dict__)
sys.modules["inside.zygote"].main(channel.detach(), settings)
