import type { LiveEvent } from '../../contract/index.ts';
import type { Clock } from '../../evolution/index.ts';
import type { ChainCheckpoint, Lab } from '../../store/index.ts';
import { reachesOutside, type Endpoint } from './proc-net.ts';
import { canSeeSockets, socketsOfTree, type TreeSockets } from './process-tree.ts';
import { lastSelfTest, type SelfTest } from './self-test.ts';

/** Between two looks. A look takes a few milliseconds; what opens and closes in between is not seen, and the page says so. */
export const LOOK_EVERY_S = 5;
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

type Tools = { store: Lab; clock: Clock; emit: (event: LiveEvent) => void; look?: () => TreeSockets };

/** Looks every few seconds which network sockets this program and everything it started have open, and keeps what reaches another machine. */
export class AirGapWatch {
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
    if (canSeeSockets()) this.#timer ??= setInterval(() => this.look(), LOOK_EVERY_S * 1000).unref();
    return this;
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  look(): void {
    const { store, clock, emit, look = () => socketsOfTree(process.pid) } = this.#tools;
    const at = clock.now().toISOString();
    this.#last = look();
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
    if (canSeeSockets()) this.look();
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
              everySeconds: LOOK_EVERY_S,
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
