import { EventEmitter } from 'node:events';
import { Duplex, Readable, Writable } from 'node:stream';
import type { FaultName, Faults } from '../faults.ts';
import type { Draws, World } from '../world.ts';

export type Request = { id: number; method: string; params: Record<string, unknown> };

/** What a request comes to. Effects on files happen when `answer` is called, which is when the work is done. */
export type Work = {
  /** Simulated milliseconds of work. */
  takesMs: number;
  /** Done when the work begins; a process that dies in it leaves this behind. */
  begin?: () => void;
  /** The result; @throws Refusal for an answer that says no. */
  answer: () => unknown;
};

/** An error answer of a program. */
export class Refusal extends Error {
  readonly kind: string;
  readonly detail: unknown;
  constructor(kind: string, message: string, detail?: unknown) {
    super(message);
    this.kind = kind;
    this.detail = detail;
  }
}

/** Thrown in place of an answer by work that no program of its kind survives. */
export class Death extends Error {}

/** What a kind of program can do; a new one for every life. */
export type Behaviour = {
  /** Milliseconds between two heartbeats; null for programs without. */
  heartbeatMs: number | null;
  heartbeat?: (openRequests: number, atMs: number) => object;
  handle: (request: Request, life: Life) => Work;
  /** How a request, a result and a refusal are written. */
  wire?: Wire;
};

export type Wire = {
  read: (line: Record<string, unknown>) => Request;
  result: (id: number, result: unknown) => object;
  refusal: (id: number, refusal: Refusal) => object;
};

const JSON_RPC: Wire = {
  read: ({ id, method, params }) => ({ id, method, params }) as Request,
  result: (id, result) => ({ jsonrpc: '2.0', id, result }),
  refusal: (id, { kind, message, detail }) => ({
    jsonrpc: '2.0',
    id,
    error: { code: -32000, message, data: { kind, detail } },
  }),
};

/** What the behaviour sees of the process it lives in. */
export type Life = {
  readonly pid: number;
  readonly nowMs: number;
  event: (name: string, params: object) => void;
  /** Something later in this life. */
  after: (milliseconds: number, what: string, action: () => void) => void;
};

const contentOf = ({ method, params }: Request): string => `${method} ${JSON.stringify(params)}`;

/** More than anybody tries: to ask the same again, and to start the process again, for three runs at a time. */
const TRIES = 5;
const STARTS = 20;

/** The world that a process lives in, and what is remembered there of its kind. */
export type Surroundings = {
  world: World;
  faults: Faults;
  blamed: Set<string>;
  doom: { method: string; left: number };
};

/** Ends of a process that nobody here asked for. */
const ENDS: readonly { code: number | null; signal: NodeJS.Signals | null }[] = [
  { code: null, signal: 'SIGKILL' },
  { code: null, signal: 'SIGSEGV' },
  { code: 1, signal: null },
  { code: 0, signal: null },
];

/** A child of the engine as Node shows it: streams, a pid, an end. It lives in simulated time and suffers the faults of its seed. */
export class SimulatedProgram extends EventEmitter {
  readonly pid: number;
  exitCode: number | null = null;
  signalCode: NodeJS.Signals | null = null;
  readonly stdin: Writable;
  readonly stdout = new Readable({ read: () => {} });
  readonly stderr = new Readable({ read: () => {} });
  readonly stdio: (Readable | Writable | Duplex)[];
  readonly #kind: string;
  readonly #world: World;
  readonly #draws: Draws;
  readonly #faults: Faults;
  readonly #doom: Surroundings['doom'];
  /** What was asked when chance struck a process of this world. */
  readonly #blamed: Set<string>;
  readonly #behaviour: Behaviour;
  readonly #wire: Wire;
  readonly #protocol: Readable;
  #received = '';
  /** Sends nothing and hears nothing, as a stopped process. */
  #hangs = false;
  #open = 0;
  #greeted = false;

  constructor(
    kind: string,
    pid: number,
    { world, faults, blamed, doom }: Surroundings,
    behaviour: Behaviour,
  ) {
    super();
    this.#blamed = blamed;
    this.#doom = doom;
    this.#kind = kind;
    this.pid = pid;
    this.#world = world;
    this.#faults = faults;
    this.#draws = faults.drawsOf(`program ${pid}`);
    this.#behaviour = behaviour;
    this.#wire = behaviour.wire ?? JSON_RPC;
    const take = (chunk: Buffer): void => this.#take(chunk.toString('utf8'));
    const write = (chunk: Buffer, _: string, done: () => void): void => {
      take(chunk);
      done();
    };
    this.stdin = new Writable({ write });
    if (kind === 'supervisor') {
      const channel = new Duplex({ read: () => {}, write });
      this.#protocol = channel;
      this.stdio = [this.stdin, this.stdout, this.stderr, channel];
    } else {
      this.#protocol = this.stdout;
      this.stdio = [this.stdin, this.stdout, this.stderr];
      this.stdin.on('finish', () => this.#later(1, 'input ended', () => this.#end(0, null)));
    }
    // Once it has greeted, its death would be laid to what it was asked meanwhile.
    if (this.#strikes('dies at start'))
      this.#later(this.#draws.spread(1, 2000), 'dies', () => this.#greeted || this.#die());
    if (behaviour.heartbeatMs !== null) this.#beat(behaviour.heartbeatMs);
  }

  get ended(): boolean {
    return this.exitCode !== null || this.signalCode !== null;
  }

  receive(signal: string): void {
    this.#world.trace(`${this.#name} gets ${signal}`);
    if (signal === 'SIGKILL') this.#later(1, 'killed', () => this.#end(null, 'SIGKILL'), true);
    else if (signal === 'SIGTERM' && !this.#hangs && !this.#strikes('does not heed SIGTERM'))
      this.#later(this.#draws.spread(1, 3000), 'terminated', () => this.#end(null, 'SIGTERM'));
  }

  get #name(): string {
    return `${this.#kind} ${this.pid}`;
  }

  #strikes(fault: FaultName): boolean {
    return this.#faults.strikes(fault, this.#draws, this.#kind);
  }

  /** Whether what the trainer is asked ends it each time, as long as somebody tries; or each start that follows, as often as anybody starts it. */
  #isDoomed(method: string): boolean {
    if (this.#kind !== 'trainer' || !this.#faults.on) return false;
    if (this.#doom.left === 0 && method !== 'hello' && this.#strikes('dies at every try')) {
      const isOfStarts = this.#draws.next() < 0.5;
      Object.assign(this.#doom, isOfStarts ? { method: 'hello', left: STARTS } : { method, left: TRIES });
      if (isOfStarts) return true;
    }
    if (this.#doom.left === 0 || this.#doom.method !== method) return false;
    this.#doom.left -= 1;
    return true;
  }

  /** Whether a fault that costs the process strikes it at this request. */
  #losesItself(fault: FaultName, request: Request): boolean {
    if (request.method === 'hello' || !this.#mayBeLostTo(request)) return false;
    const strikes = this.#strikes(fault);
    if (strikes) this.#blamed.add(contentOf(request));
    return strikes;
  }

  /**
   * A question that loses two processes by chance cannot be told from one that loses all of them, and is rightly given up. So that all
   * steps repeat, chance strikes at each question of a process that all runs share only once.
   */
  #mayBeLostTo(request: Request): boolean {
    return this.#kind === 'trainer' || !this.#blamed.has(contentOf(request));
  }

  #later(milliseconds: number, what: string, action: () => void, evenStopped = false): void {
    this.#world.after(milliseconds, `${this.#name}: ${what}`, () => {
      if (!this.ended && (evenStopped || !this.#hangs)) action();
    });
  }

  #beat(everyMs: number): void {
    this.#later(everyMs, 'heartbeat', () => {
      const { heartbeat } = this.#behaviour;
      this.#event('heartbeat', heartbeat?.(this.#open, this.#world.nowMs) ?? {});
      this.#beat(everyMs);
    });
  }

  #take(text: string): void {
    if (this.ended || this.#hangs) return;
    const lines = (this.#received + text).split('\n');
    this.#received = lines.pop() as string;
    for (const line of lines) this.#ask(this.#wire.read(JSON.parse(line) as Record<string, unknown>));
  }

  #ask(request: Request): void {
    const { id, method } = request;
    this.#world.trace(`${this.#name} is asked ${method}`);
    const life: Life = {
      pid: this.pid,
      nowMs: this.#world.nowMs,
      event: (name, params) => this.#event(name, params),
      after: (milliseconds, what, action) => this.#later(milliseconds, what, action),
    };
    if (
      method === 'hello' ? this.#strikes('does not answer its start') : this.#losesItself('hangs', request)
    ) {
      this.#hangs = true;
      return;
    }
    if (this.#isDoomed(method) || this.#losesItself('dies before its work', request))
      return this.#later(this.#draws.spread(1, 500), 'dies', () => this.#die());
    let work: Work;
    try {
      work = this.#behaviour.handle(request, life);
    } catch (error) {
      return this.#refuse(id, error);
    }
    work.begin?.();
    if (this.#losesItself('dies in its work', request))
      return this.#later(work.takesMs * this.#draws.next(), 'dies', () => this.#die());
    this.#open += 1;
    const late = this.#strikes('answers late') ? this.#draws.spread(1000, 90_000) : 0;
    this.#later(work.takesMs + late, `has done ${method}`, () => {
      this.#open -= 1;
      let result: unknown;
      try {
        result = work.answer();
      } catch (error) {
        if (error instanceof Death) return this.#die();
        return this.#refuse(id, error);
      }
      this.#answer(request, result);
    });
  }

  #refuse(id: number, error: unknown): void {
    if (!(error instanceof Refusal)) throw error;
    this.#world.trace(`${this.#name} refuses: ${error.kind}`);
    this.#later(1, 'refusal', () => this.#say(this.#wire.refusal(id, error)));
  }

  #answer(request: Request, result: unknown): void {
    const { id, method } = request;
    const isWork = method !== 'hello';
    this.#greeted = true;
    if (this.#losesItself('dies before its answer', request)) return this.#die();
    if (this.#losesItself('never answers', request)) {
      // It takes the request for open, and its heartbeats say so.
      this.#open += 1;
      return;
    }
    // Only a trainer's heartbeats tell that it knows less than it was asked.
    if (this.#kind === 'trainer' && this.#losesItself('forgets a request', request)) return;
    const line = `${JSON.stringify(this.#wire.result(id, result))}\n`;
    if (this.#losesItself('dies within its answer', request)) {
      this.#protocol.push(line.slice(0, 1 + this.#draws.below(line.length - 2)));
      return this.#die();
    }
    if (this.#losesItself('prints garbage', request))
      this.#protocol.push('Segmentation fault (core dumped)\n');
    if (this.#losesItself('cuts a line', request)) {
      this.#protocol.push(`${line.slice(0, this.#draws.below(line.length - 1))}\n`);
      return;
    }
    if (isWork && this.#strikes('answers another question'))
      this.#say(this.#wire.result(id + 1_000_000, result));
    if (isWork && this.#strikes('answers wrongly'))
      return this.#say(this.#wire.result(id, { nonsense: true }));
    if (isWork && this.#strikes('refuses without need'))
      return this.#say(this.#wire.refusal(id, new Refusal('internal', `The ${this.#kind} met a surprise.`)));
    if (this.#strikes('answers in pieces')) {
      const at = this.#draws.below(line.length);
      this.#protocol.push(line.slice(0, at));
      return this.#later(this.#draws.spread(1, 400), 'rest of an answer', () =>
        this.#protocol.push(line.slice(at)),
      );
    }
    this.#protocol.push(line);
    if (this.#strikes('answers twice')) this.#protocol.push(line);
  }

  #event(name: string, params: object): void {
    this.#say({ jsonrpc: '2.0', method: `event/${name}`, params });
    if (name !== 'heartbeat' && this.#strikes('says an event twice'))
      this.#say({ jsonrpc: '2.0', method: `event/${name}`, params });
  }

  #say(message: object): void {
    if (!this.ended && !this.#hangs) this.#protocol.push(`${JSON.stringify(message)}\n`);
  }

  #die(): void {
    const { code, signal } = this.#draws.pick(ENDS);
    this.stderr.push('last words of a simulated process\n');
    this.#end(code, signal);
  }

  #end(code: number | null, signal: NodeJS.Signals | null): void {
    if (this.ended) return;
    this.exitCode = code;
    this.signalCode = signal;
    this.#world.trace(`${this.#name} ends: ${code ?? signal}`);
    for (const stream of [this.stdout, this.stderr, this.#protocol]) stream.push(null);
    this.emit('exit', code, signal);
    this.#world.after(1, `${this.#name}: closed`, () => this.emit('close'));
  }
}
