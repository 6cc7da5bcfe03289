import type { LiveEvent } from '../../contract/index.ts';
import type { ChainCheckpoint, Lab } from '../../store/index.ts';
import {
  reachesOutside,
  type Endpoint,
  canSeeSockets,
  socketsOfTree,
  type TreeSockets,
} from './process-sockets.ts';
import { lastSelfTest, type SelfTest } from './self-test.ts';
import { hostname, release } from 'node:os';
import { join } from 'node:path';
import { sha256Hex, type Clock } from '../../core/index.ts';
import { writeExport, type LabFolder } from '../../library/index.ts';

/** Between two looks. A look takes a few milliseconds; what opens and closes in between is not seen, and the page says so. */
export const POLL_EVERY_S = 5;
const MOST_KEPT = 200;
const PAGE = 500;

export type SeenSocket = {
  firstSeen: string;
  lastSeen: string;
  how: 'connected' | 'listening';
  process: string;
  pid: number;
  protocol: string;
  local: Endpoint;
  remote: Endpoint;
};
export type BlockedRequest = { at: string; seq: number; detail: string };

export type AirGapState = {
  /** When this engine started to look. */
  since: string;
  /** Null where the system does not tell which process has which socket. */
  watch: {
    looks: number;
    lastLook: string;
    everySeconds: number;
    processes: number;
    unreadable: number;
  } | null;
  outside: SeenSocket[];
  /** Requests of the window that its guard refused since then. */
  blocked: BlockedRequest[];
  selfTest: SelfTest | null;
  chain: ChainCheckpoint;
};

type Tools = { store: Lab; clock: Clock; emit: (event: LiveEvent) => void; readSockets?: () => TreeSockets };

/** Looks every few seconds which network sockets this program and everything it started have open, and keeps what reaches another machine. */
export class AirGapMonitor {
  readonly #tools: Tools;
  readonly #since: string;
  readonly #seen = new Map<string, SeenSocket>();
  #looks = 0;
  #lastLook: string | null = null;
  #last: TreeSockets = { processes: [], unreadable: 0 };
  #timer: NodeJS.Timeout | null = null;
  #readTo: number;
  readonly #blocked: BlockedRequest[] = [];

  constructor(tools: Tools) {
    this.#tools = tools;
    this.#since = tools.clock.now().toISOString();
    this.#readTo = tools.store.exportCheckpointOfChain().seq;
  }

  /** Begins to look; it ends with `stop` and never keeps the program alive. */
  start(): this {
    if (canSeeSockets()) this.#timer ??= setInterval(() => this.poll(), POLL_EVERY_S * 1000).unref();
    return this;
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  poll(): void {
    const { store, clock, emit, readSockets = () => socketsOfTree(process.pid) } = this.#tools;
    const at = clock.now().toISOString();
    this.#last = readSockets();
    this.#looks += 1;
    this.#lastLook = at;
    for (const { pid, name, sockets } of this.#last.processes) {
      for (const { protocol, local, remote, ...socket } of sockets) {
        const how = reachesOutside({ protocol, local, remote, ...socket });
        if (how === null) continue;
        const key = `${pid} ${protocol} ${how === 'listening' ? local.address : remote.address} ${how === 'listening' ? local.port : remote.port}`;
        const before = this.#seen.get(key);
        if (before !== undefined) before.lastSeen = at;
        else if (this.#seen.size < MOST_KEPT) {
          this.#seen.set(key, {
            firstSeen: at,
            lastSeen: at,
            how,
            process: name,
            pid,
            protocol,
            local,
            remote,
          });
          store.appendEvent(null, `airgap.${how}`, { process: name, pid, protocol, local, remote });
          emit({ kind: 'changed', what: 'airgap', runId: null });
        }
      }
    }
  }

  state(): AirGapState {
    const { store } = this.#tools;
    if (canSeeSockets()) this.poll();
    this.#readBlocked();
    return {
      since: this.#since,
      outside: [...this.#seen.values()],
      blocked: this.#blocked,
      selfTest: lastSelfTest(store),
      chain: store.exportCheckpointOfChain(),
      watch:
        this.#lastLook === null
          ? null
          : {
              looks: this.#looks,
              lastLook: this.#lastLook,
              everySeconds: POLL_EVERY_S,
              processes: this.#last.processes.length,
              unreadable: this.#last.unreadable,
            },
    };
  }

  /** The guard of the window notes what it refuses in the event log; only what is new is read. */
  #readBlocked(): void {
    for (;;) {
      const events = this.#tools.store.listEvents(null, { afterSeq: this.#readTo, limit: PAGE });
      for (const { seq, at, kind, body } of events)
        if (kind === 'airgap.blocked') this.#blocked.push({ at, seq, detail: detailOf(body) });
      this.#readTo = events.at(-1)?.seq ?? this.#readTo;
      if (events.length < PAGE) return;
    }
  }
}

/** One line, without the query of an address, which may hold what was to be sent. */
function detailOf(body: unknown): string {
  const { url, method, what } = (body ?? {}) as { url?: unknown; method?: unknown; what?: unknown };
  const parts = [method, typeof url === 'string' ? url.split('?')[0] : what].filter(
    (part) => typeof part === 'string',
  );
  return parts.length > 0 ? parts.join(' ').slice(0, 300) : JSON.stringify(body).slice(0, 300);
}

export const EVIDENCE_FOLDER = 'evidence';

/** What the evidence cannot show, said in the evidence itself. */
const LIMITS = [
  'Sockets that open and close between two looks are not seen by the watch; the self-test traces every call, for one run.',
  "Only the services and what it started are watched: not a browser that shows the window, not other programs of the machine. What the desktop window asked for is in its guard's list.",
  'A process that the system does not let this user look into is counted as unreadable.',
  'The event chain shows changes only against a point of it that was kept elsewhere; keep this file elsewhere.',
] as const;

export type Evidence = { file: string; sha256: string; text: string };

/**
 * Writes what is known about connections, with the head of the event chain, as one JSON file in the lab's evidence folder, and
 * notes its SHA-256 in the chain. @throws the system's error when it cannot be written.
 */
export function exportEvidence(
  { store, clock, lab }: Pick<Tools, 'store' | 'clock'> & { lab: LabFolder },
  state: AirGapState,
): Evidence {
  const at = clock.now().toISOString();
  const text = `${JSON.stringify(
    {
      what: 'Anchor Lab air-gap evidence',
      format: 1,
      at,
      machine: {
        name: hostname(),
        system: `${process.platform} ${release()} ${process.arch}`,
        node: process.version,
      },
      lab: lab.root,
      watchedSince: state.since,
      watch: state.watch,
      outside: state.outside,
      blocked: state.blocked,
      selfTest: state.selfTest,
      chain: state.chain,
      limits: LIMITS,
    },
    null,
    2,
  )}\n`;
  const folder = join(lab.root, EVIDENCE_FOLDER);
  const file = join(folder, `air-gap-${at.replaceAll(':', '-')}.json`);
  writeExport(file, [text]);
  const sha256 = sha256Hex(text);
  store.appendEvent(null, 'airgap.evidence', { file, sha256, chain: state.chain });
  return { file, sha256, text };
}
