/** Calls that name an address of another machine; AF_NETLINK asks the kernel and AF_UNIX is a file. */
const ADDRESSED = /^.*(?:connect|sendto|sendmsg|sendmmsg|bind)\(.*sa_family=(?:AF_INET6?|AF_PACKET).*$/gm;
const LOOPBACK = /inet_addr\("127\.|inet_pton\(AF_INET6, "::1"/;

export type TraceReading = {
  /** Calls as strace wrote them, at most 100. */ outside: string[];
  outsideCount: number;
  loopback: number;
  programs: number;
};

/** What a trace of connect, sendto, sendmsg, sendmmsg, bind and execve says about addresses. */
export function readTrace(text: string): TraceReading {
  const calls = text.match(ADDRESSED) ?? [];
  const outside = calls.filter((call) => !LOOPBACK.test(call));
  return {
    outside: outside.slice(0, 100),
    outsideCount: outside.length,
    loopback: calls.length - outside.length,
    programs: (text.match(/execve\(.*= 0$/gm) ?? []).length,
  };
}
