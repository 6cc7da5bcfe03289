import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';

export type Endpoint = { address: string; port: number };
export type Protocol = 'tcp' | 'tcp6' | 'udp' | 'udp6';
export type Socket = {
  protocol: Protocol;
  local: Endpoint;
  remote: Endpoint;
  isListening: boolean;
  inode: number;
};

const LISTEN = 0x0a; // TCP_LISTEN of the kernel's tcp_states.h
const UNCONNECTED = 0x07; // TCP_CLOSE, which is what a UDP socket without a peer shows

/** Reads one of /proc/<pid>/net/{tcp,tcp6,udp,udp6}: one socket a line after a line of titles. */
export function parseSockets(protocol: Protocol, text: string): Socket[] {
  return text
    .split('\n')
    .slice(1)
    .flatMap((line): Socket[] => {
      const [, local, remote, state, , , , , , inode] = line.trim().split(/\s+/);
      if (local === undefined || remote === undefined || state === undefined || inode === undefined)
        return [];
      const code = Number.parseInt(state, 16);
      const isListening = protocol.startsWith('udp') ? code === UNCONNECTED : code === LISTEN;
      return [
        { protocol, local: endpoint(local), remote: endpoint(remote), isListening, inode: Number(inode) },
      ];
    });
}

function endpoint(text: string): Endpoint {
  const [address = '', port = '0'] = text.split(':');
  return { address: address.length === 8 ? ipv4(address) : ipv6(address), port: Number.parseInt(port, 16) };
}

/** Addresses are printed as 32-bit words in the machine's own order, which is little-endian wherever this runs. */
const bytesOf = (word: string): number[] =>
  [6, 4, 2, 0].map((at) => Number.parseInt(word.slice(at, at + 2), 16));

const ipv4 = (hex: string): string => bytesOf(hex).join('.');

function ipv6(hex: string): string {
  const bytes = [0, 8, 16, 24].flatMap((at) => bytesOf(hex.slice(at, at + 8)));
  const isMapped = bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff;
  if (isMapped) return bytes.slice(12).join('.');
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((bytes[2 * index] ?? 0) << 8) | (bytes[2 * index + 1] ?? 0)).toString(16),
  );
  return groups.join(':').replace(/(?:^|:)0(?::0)+(?::|$)/, '::');
}

/** Addresses of the machine itself. */
export const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';
/** "Any address": a socket without a peer, or one that listens everywhere. */
export const isUnspecified = (address: string): boolean => address === '0.0.0.0' || address === '::';

/** A socket that speaks with another machine, or could be spoken to from one. */
export function reachesOutside({ local, remote, isListening }: Socket): 'connected' | 'listening' | null {
  if (isListening) return isLoopback(local.address) ? null : 'listening';
  return isLoopback(remote.address) || isUnspecified(remote.address) ? null : 'connected';
}

const PROTOCOLS: readonly Protocol[] = ['tcp', 'tcp6', 'udp', 'udp6'];

export type ProcessSockets = { pid: number; name: string; sockets: Socket[] };
/** `unreadable`: processes of the tree whose sockets the system would not show. */
export type TreeSockets = { processes: ProcessSockets[]; unreadable: number };

/** Whether this system tells which process has which socket. */
export const canSeeSockets = (): boolean => process.platform === 'linux' && existsSync('/proc/self/net/tcp');

/** This process and everything started below it, with the network sockets each has open now. */
export function socketsOfTree(root: number): TreeSockets {
  const tables = new Map<string, Map<number, Socket>>();
  const seen: TreeSockets = { processes: [], unreadable: 0 };
  for (const pid of treeOf(root)) {
    try {
      const inodes = socketInodes(pid);
      const table = socketTable(pid, tables);
      seen.processes.push({
        pid,
        name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim(),
        sockets: inodes.flatMap((inode) => table.get(inode) ?? []),
      });
    } catch (error) {
      // A process that ended meanwhile has no sockets any more; one that is not ours to look into is counted.
      if (
        (error as NodeJS.ErrnoException).code === 'EACCES' ||
        (error as NodeJS.ErrnoException).code === 'EPERM'
      )
        seen.unreadable += 1;
    }
  }
  return seen;
}

function treeOf(root: number): number[] {
  const found: number[] = [];
  const open = [root];
  for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
    found.push(pid);
    open.push(...childrenOf(pid));
  }
  return found;
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
      readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
        .trim()
        .split(' ')
        .filter((text) => text !== '')
        .map(Number),
    );
  } catch {
    return []; // it ended meanwhile
  }
}

function socketInodes(pid: number): number[] {
  return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
    try {
      const inode = /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${descriptor}`))?.[1];
      return inode === undefined ? [] : [Number(inode)];
    } catch {
      return []; // closed meanwhile
    }
  });
}

/** Sockets by inode, read once for all processes that share a network namespace. */
function socketTable(pid: number, tables: Map<string, Map<number, Socket>>): Map<number, Socket> {
  const namespace = readlinkSync(`/proc/${pid}/ns/net`);
  const known = tables.get(namespace);
  if (known !== undefined) return known;
  const sockets = PROTOCOLS.flatMap((protocol) => {
    const file = `/proc/${pid}/net/${protocol}`;
    return existsSync(file) ? parseSockets(protocol, readFileSync(file, 'utf8')) : [];
  });
  const table = new Map(sockets.map((socket) => [socket.inode, socket]));
  tables.set(namespace, table);
  return table;
}
