import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs';
import { parseSockets, type Protocol, type Socket } from './proc-net.ts';

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
