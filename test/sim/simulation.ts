import { join } from 'node:path';
import { Failure } from '../../electron/contract/index.ts';
import { createRouter, Engine } from '../../electron/engine/index.ts';
import type { Application } from './application.ts';
import { Damage } from './damage.ts';
import { Faults, type FaultName } from './faults.ts';
import { SimulatedProgram, type Behaviour } from './programs/program.ts';
import { runner } from './programs/runner.ts';
import { supervisor } from './programs/supervisor.ts';
import { trainer } from './programs/trainer.ts';
import { closeDatabases, enter, realFiles, sqliteError } from './system.ts';
import { Draws, World } from './world.ts';

export type Verbs = ReturnType<ReturnType<typeof createRouter>['createCaller']>;

/** Beyond any number that the kernel gives to a process. */
const FIRST_PID = 10_000_000;

const PROGRAMS: readonly { kind: string; mark: string; make: (pace: Pace) => Behaviour }[] = [
  { kind: 'trainer', mark: 'anchor_trainer', make: trainer },
  { kind: 'runner', mark: 'broker.py', make: runner },
  { kind: 'supervisor', mark: 'supervisor/worker.ts', make: supervisor },
];
export type Pace = { noise: (path: string) => number };

/** The engine over a simulated machine, and what the machine does to it. */
export class Simulation {
  readonly world = new World();
  readonly faults: Faults;
  readonly folder: string;
  readonly seed: number;
  readonly #application: Application;
  /** What somebody did to the lab. */
  readonly damage: Damage = new Damage(this);
  /** Set when somebody wants the program to be closed and opened again. */
  wantsRestart = false;
  /** What the shared processes were asked when chance struck them. */
  readonly blamed = new Set<string>();
  /** A method at which every trainer dies, so many times. */
  readonly doom = { method: '', left: 0 };
  readonly #programs = new Map<number, SimulatedProgram>();
  readonly #disk: Draws;
  #nextPid = FIRST_PID;
  #engine: Engine | null = null;
  #verbs: Verbs | null = null;
  /** Set once the engine has been killed: what it still does in this moment counts for nothing. */
  #image: string | null = null;
  /** Until when no write finds room. */
  #fullUntilMs = 0;
  /** How many more statements that write are carried out before the engine dies between two of them. */
  #statementsLeft = Number.POSITIVE_INFINITY;
  /** How often the engine was killed. */
  deaths = 0;

  constructor(seed: number, application: Application, folder: string, kinds: readonly FaultName[] | 'drawn') {
    this.seed = seed;
    this.#application = application;
    this.folder = folder;
    this.faults = new Faults(seed, kinds);
    this.faults.onStrike = (fault, where) => this.world.trace(`fault: ${fault} (${where})`);
    this.#disk = this.faults.drawsOf('disk');
    enter({
      world: this.world,
      draws: new Draws(seed, 'system'),
      spawn: (_command, args) => this.#start(args),
      kill: (pid, signal) => {
        const found = this.#programs.get(pid);
        found?.receive(signal);
        return found !== undefined;
      },
      beforeWrite: (operation, path) => this.#beforeWrite(operation, path),
      afterWrite: (operation, path) => this.#afterWrite(operation, path),
      beforeStatement: (path) => this.#beforeStatement(path),
    });
    this.#drawStatements();
  }

  get lab(): string {
    return join(this.folder, 'lab');
  }

  /** Where goes what somebody takes out of the lab. */
  get trash(): string {
    return join(this.folder, 'trash');
  }

  get engine(): Engine {
    if (this.#engine === null) throw new Error('The engine is not open.');
    return this.#engine;
  }

  get verbs(): Verbs {
    if (this.#verbs === null) throw new Error('The engine is not open.');
    return this.#verbs;
  }

  get isOpen(): boolean {
    return this.#engine !== null;
  }

  get isKilled(): boolean {
    return this.#image !== null;
  }

  /** @throws what the engine says; the lab is closed then. */
  async open(): Promise<void> {
    const { world } = this;
    const clock = { now: () => world.date(), monotonicMs: () => world.nowMs };
    try {
      this.#engine = await world.until(
        Engine.open({ application: this.#application.root, labFolder: this.lab, clock }),
      );
    } finally {
      if (this.#engine === null) this.#closeEverything();
    }
    // What they measure is the real machine's, which no seed knows.
    this.#engine.airGap.stop();
    this.#verbs = createRouter(this.#engine).createCaller({});
    world.trace('engine is open');
  }

  /** As a person closes it. */
  async close(): Promise<void> {
    const { engine } = this;
    this.#engine = null;
    try {
      await this.world.until(engine.close());
    } catch (error) {
      if (!this.isKilled) this.#endProgram();
      throw error;
    }
    if (!this.isKilled) this.#closeEverything();
    this.world.trace('engine is closed');
  }

  /** kill -9, as of this moment. */
  kill(): void {
    if (this.#image !== null) return;
    this.#image = join(this.folder, 'image');
    for (const folder of ['lab', 'trash'])
      if (realFiles.existsSync(join(this.folder, folder)))
        realFiles.cpSync(join(this.folder, folder), join(this.#image, folder), { recursive: true });
    this.world.trace('engine is killed');
  }

  /** Buries the killed engine; what it had on the disk when it died is the lab from now on. */
  bury(): void {
    if (this.#image === null) throw new Error('Nobody was killed.');
    this.deaths += 1;
    this.#engine = null;
    this.#endProgram();
    for (const folder of ['lab', 'trash']) {
      realFiles.rmSync(join(this.folder, folder), { recursive: true, force: true });
      if (realFiles.existsSync(join(this.#image, folder)))
        realFiles.renameSync(join(this.#image, folder), join(this.folder, folder));
    }
    this.#image = null;
  }

  /** No write finds room for so long. */
  fillDisk(milliseconds: number): void {
    this.#fullUntilMs = this.world.nowMs + milliseconds;
  }

  /** Nothing of it goes on, and its children end with it. */
  #endProgram(): void {
    this.world.forgetEngine();
    this.#programs.clear();
    this.#closeEverything();
  }

  #drawStatements(): void {
    const rate = this.faults.rates.get('the engine dies within a transaction') as number;
    this.#statementsLeft =
      rate === 0 ? Number.POSITIVE_INFINITY : Math.floor(this.#disk.spread(10, 1000) / rate);
  }

  #closeEverything(): void {
    const { on } = this.faults;
    this.faults.on = false;
    closeDatabases();
    this.faults.on = on;
  }

  #start(args: readonly string[]): SimulatedProgram {
    const found = PROGRAMS.find(({ mark }) => args.some((argument) => argument.endsWith(mark)));
    if (found === undefined) throw new Error(`No simulated program fits ${args.join(' ')}.`);
    const pid = this.#nextPid++;
    const draws = this.faults.drawsOf(`pace ${pid}`);
    const behaviour = found.make({ noise: () => draws.next() });
    const program = new SimulatedProgram(found.kind, pid, this, behaviour);
    this.#programs.set(pid, program);
    this.world.trace(`${found.kind} ${pid} starts`);
    return program;
  }

  /** A step is dozens of statements; a program can die between any two. */
  #beforeStatement(path: string): void {
    if (!this.#isOurs(path) || !this.faults.on || (this.#statementsLeft -= 1) > 0) return;
    this.#drawStatements();
    this.faults.note('the engine dies within a transaction', 'between two statements');
    this.kill();
  }

  #beforeWrite(operation: string, path: string): void {
    if (!this.#isOurs(path)) return;
    if (this.faults.on && this.world.nowMs < this.#fullUntilMs) throw diskError(operation, path, 'ENOSPC');
    if (
      operation === 'rmSync' &&
      this.faults.strikes('the engine dies at a deletion', this.#disk, 'before it')
    )
      this.kill();
    if (this.faults.strikes('the disk is full', this.#disk, operation))
      throw diskError(operation, path, 'ENOSPC');
    if (this.faults.strikes('the disk fails', this.#disk, operation)) throw diskError(operation, path, 'EIO');
    if (this.faults.strikes('the engine dies at a write', this.#disk, `before ${operation}`)) this.kill();
  }

  #afterWrite(operation: string, path: string): void {
    if (
      this.#isOurs(path) &&
      this.faults.strikes('the engine dies at a write', this.#disk, `after ${operation}`)
    )
      this.kill();
  }

  #isOurs(path: string): boolean {
    return this.#image === null && path.startsWith(this.folder);
  }
}

function diskError(operation: string, path: string, code: 'ENOSPC' | 'EIO'): Error {
  if (operation === 'commit') return sqliteError(code === 'ENOSPC' ? 'SQLITE_FULL' : 'SQLITE_IOERR_WRITE');
  return Object.assign(new Error(`${code}: simulated, ${operation} '${path}'`), {
    code,
    path,
    syscall: operation,
  });
}

/** Whether an answer that is none is one that people can read: a Failure, or a complaint about the input. */
export function isClean(error: unknown): boolean {
  if (error instanceof Failure) return true;
  const { code, cause } = error as { code?: unknown; cause?: unknown };
  return (
    cause instanceof Failure || (code === 'BAD_REQUEST' && (cause as Error | undefined)?.name === 'ZodError')
  );
}
