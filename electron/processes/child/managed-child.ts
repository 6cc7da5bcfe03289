import type { Duplex, Readable, Writable } from 'node:stream';
import { ChildLog, type ChildSpec, type ChildState, type Program, spawnProgram } from './program.ts';
import { countOomKills, type ExitReport, explainExit, ProcessFailure } from './failures.ts';
import { RpcConnection, type Call } from './json-rpc.ts';
import { SilenceMonitor } from './timing.ts';

/** Between asking with SIGTERM and insisting with SIGKILL. */
const TERMINATE_GRACE_MS = 10_000;
/** How long output may still arrive once the process has ended; a grandchild can hold a pipe open for longer. */
const LAST_OUTPUT_MS = 500;
/** A process that closed its channel is normally about to be reported as ended; one that is not gets terminated. */
const CHANNEL_CLOSED_GRACE_MS = 2000;

/**
 * One life of a child process: started without a shell in a process group of its own, watched for silence, ended by its
 * own pid only, and its end explained in one sentence. It is never restarted; RestartingProcess starts another.
 */
export class ManagedChild {
  /** Resolves once the process has ended and its output is read. Never rejects. */
  readonly ended: Promise<ExitReport>;
  readonly #spec: ChildSpec;
  readonly #process: Program;
  readonly #rpc: RpcConnection;
  readonly #log: ChildLog;
  readonly #silence: SilenceMonitor;
  readonly #oomKillsBefore = countOomKills();
  #state: ChildState = 'starting';
  #sent: NodeJS.Signals | null = null;
  /** Why we end it, when that says more than the exit does. */
  #cause: ProcessFailure | null = null;
  readonly #cancels: (() => void)[] = [];
  /** When a request with a limit was answered last. */
  #answeredAt = 0;

  private constructor(spec: ChildSpec) {
    this.#spec = spec;
    this.#log = new ChildLog(spec.logFile);
    this.#process = (spec.launch ?? spawnProgram)(spec);
    this.#log.note(`${spec.name} started, pid ${this.#process.pid ?? 'none'}`);
    this.ended = this.#whenEnded();
    for (const stream of this.#noise()) this.#log.listen(stream);
    const [input, output] = this.#protocolStreams();
    this.#rpc = new RpcConnection({
      name: spec.name,
      input,
      output,
      maxLineBytes: spec.maxLineBytes,
      dialect: spec.dialect,
      onEvent: (name, params) => spec.onEvent(name, params),
      onActivity: () => this.#silence.noteActivity(),
      onProtocolError: (failure) =>
        this.#abandon(this.#state === 'starting' ? failure : this.#lostBy(failure)),
      // Without a channel it cannot answer any more, even if it lives on. Not at once: a signal sent to a process that is
      // just dying of another one would make its end look like our doing.
      onEnd: () => this.#later(CHANNEL_CLOSED_GRACE_MS, () => this.#terminate()),
    });
    this.#silence = new SilenceMonitor(spec.silence, spec.clock, (silentMs) => this.#stalled(silentMs));
    this.#endWith(spec.signal);
  }

  /**
   * Starts the process and waits for `handshake`. Throws ProcessFailure: `processUnavailable` when the program cannot be
   * run, `handshake` when it does not answer in time, `processLost` when it ends first, or what the handshake threw.
   */
  static async start(
    spec: ChildSpec,
    handshake: (child: ManagedChild) => Promise<void>,
  ): Promise<ManagedChild> {
    const child = new ManagedChild(spec);
    const cancel = spec.clock.after(spec.handshakeTimeoutMs, () =>
      child.#abandon(
        new ProcessFailure(spec.name, {
          kind: 'handshake',
          retryable: true,
          message: `The ${spec.name} did not answer within ${spec.handshakeTimeoutMs / 1000} s of its start; its output is in ${spec.logFile}.`,
        }),
      ),
    );
    try {
      await handshake(child);
    } catch (error) {
      child.kill();
      await child.ended;
      throw child.#cause ?? error;
    } finally {
      cancel();
    }
    child.#enter('ready');
    child.#silence.start();
    return child;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get state(): ChildState {
    return this.#state;
  }

  /** Whether requests can be sent. */
  get usable(): boolean {
    return this.#state === 'starting' || this.#state === 'ready';
  }

  /** Requests without an answer yet; `oldest` is the number of the one that waits longest. */
  get unanswered(): { count: number; oldest: number | null } {
    return { count: this.#rpc.openRequests, oldest: this.#rpc.oldestRequest };
  }

  /** What the process printed last, at most 8 KiB. */
  outputTail(): string {
    return this.#log.tail();
  }

  /**
   * Sends a request; see RpcConnection.call. Every open request rejects with kind `processLost` when the process ends.
   * `slow` requests (loading a model) move the silence limit to its longer value while they are open. A process that
   * lives but answers none of its requests with `answerWithinMs` for so long is given up like a dead one.
   */
  call(method: string, params: object, options: { slow?: boolean; answerWithinMs?: number } = {}): Call {
    const call = this.#rpc.call(method, params);
    const settled = this.#silence.expect(options.slow ?? false);
    call.result.then(settled, settled);
    if (options.answerWithinMs !== undefined) this.#expectAnswer(call, method, options.answerWithinMs);
    return call;
  }

  /** The end of this life for a reason that a fresh one may not meet again. */
  giveUp(why: string): void {
    this.#abandon(
      new ProcessFailure(this.#spec.name, {
        kind: 'processLost',
        retryable: true,
        message: `${why} Its output is in ${this.#spec.logFile}.`,
      }),
    );
  }

  /**
   * Resolves when the process has ended. With `ask` it is first requested to end by itself and given 10 s for it; then
   * SIGTERM, and after another 10 s SIGKILL.
   */
  async stop(ask?: { method: string; params: object }): Promise<ExitReport> {
    if (ask && this.usable) {
      this.#enter('stopping');
      this.#rpc.call(ask.method, ask.params).result.catch(() => {});
      this.#later(TERMINATE_GRACE_MS, () => this.#sendTerm());
    } else {
      this.#terminate();
    }
    return this.ended;
  }

  /** SIGKILL at once, to the process and its group. */
  kill(): void {
    this.#enter('stopping');
    this.#signal('SIGKILL');
  }

  /** Counted from the last answer: requests wait for those before them. */
  #expectAnswer(call: Call, method: string, withinMs: number): void {
    const { name, clock } = this.#spec;
    const asked = clock.now();
    const look = (): void => {
      const waited = clock.now() - Math.max(asked, this.#answeredAt);
      if (waited >= withinMs)
        this.giveUp(
          `The ${name} lives but did not answer ${method} within ${Math.round(withinMs / 1000)} s.`,
        );
      else cancel = clock.after(withinMs - waited, look);
    };
    let cancel = clock.after(withinMs, look);
    const settled = (): void => {
      this.#answeredAt = clock.now();
      cancel();
    };
    call.result.then(settled, settled);
  }

  /** A line it should not have sent: nothing it says can be trusted any more, but a fresh process may do better. */
  #lostBy({ message }: ProcessFailure): ProcessFailure {
    return new ProcessFailure(this.#spec.name, { kind: 'processLost', retryable: true, message });
  }

  #endWith(signal: AbortSignal | undefined): void {
    const { name } = this.#spec;
    const end = (): void =>
      this.#abandon(
        new ProcessFailure(name, {
          kind: 'cancelled',
          message: `The ${name} was ended: what it worked for was cancelled.`,
        }),
      );
    if (signal?.aborted === true) return end();
    signal?.addEventListener('abort', end, { once: true });
    this.#cancels.push(() => signal?.removeEventListener('abort', end));
  }

  #abandon(failure: ProcessFailure): void {
    this.#cause ??= failure;
    this.#rpc.close(failure);
    this.kill();
  }

  #stalled(silentMs: number): void {
    const { name, logFile } = this.#spec;
    this.#enter('stalled');
    this.#cause ??= new ProcessFailure(name, {
      kind: 'processLost',
      retryable: true,
      message: `The ${name} was silent for ${Math.round(silentMs / 1000)} s and is taken for stuck; its output is in ${logFile}.`,
    });
    this.#rpc.close(this.#cause);
    this.#terminate();
  }

  #terminate(): void {
    if (this.#state === 'stopping' || this.#state === 'ended') return;
    this.#enter('stopping');
    this.#sendTerm();
  }

  #sendTerm(): void {
    this.#signal('SIGTERM');
    this.#later(TERMINATE_GRACE_MS, () => this.#signal('SIGKILL'));
  }

  /** Cancelled when the process has ended, so that nothing of it keeps the engine alive. */
  #later(milliseconds: number, action: () => void): void {
    if (this.#state !== 'ended') this.#cancels.push(this.#spec.clock.after(milliseconds, action));
  }

  #signal(signal: NodeJS.Signals): void {
    const { pid, exitCode, signalCode } = this.#process;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    this.#sent = signal;
    this.#process.signal(signal);
  }

  #enter(state: ChildState): void {
    if (this.#state === state || this.#state === 'ended') return;
    this.#state = state;
    this.#spec.onState?.(state);
  }

  #whenEnded(): Promise<ExitReport> {
    return new Promise((resolve) => {
      const { name, command, clock, logFile } = this.#spec;
      this.#process.once('error', (error: NodeJS.ErrnoException) => {
        // Node reports failing to signal through the same event; only a process without a pid never started.
        if (this.#process.pid !== undefined) return;
        const why = error.code === 'ENOENT' ? 'does not exist' : `cannot be run (${error.code})`;
        this.#cause ??= new ProcessFailure(name, {
          kind: 'processUnavailable',
          message: `The ${name} could not be started: ${command} ${why}. Run the set-up again.`,
        });
        finish(null, null);
      });
      this.#process.once('exit', (code, signal) => {
        // The last lines may still be in the pipe: an answer that was sent counts, and so do the last words.
        const cancel = clock.after(LAST_OUTPUT_MS, () => finish(code, signal));
        this.#process.once('close', () => {
          cancel();
          finish(code, signal);
        });
      });
      const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (this.#state === 'ended') return;
        const asked = this.#state === 'stopping';
        this.#enter('ended');
        this.#silence.stop();
        for (const cancel of this.#cancels) cancel();
        const report = explainExit({
          name,
          code,
          signal,
          asked,
          sent: this.#sent,
          lastLine: this.#log.lastLine(),
          oomKillsBefore: this.#oomKillsBefore,
          oomKillsAfter: countOomKills(),
        });
        this.#rpc.close(
          this.#cause ??
            new ProcessFailure(name, {
              kind: 'processLost',
              retryable: true,
              message: `${report.sentence} Its output is in ${logFile}.`,
              detail: report,
            }),
        );
        this.#log.note(report.sentence);
        this.#log.close();
        for (const stream of this.#process.stdio) stream?.destroy();
        resolve(report);
      };
    });
  }

  #protocolStreams(): [Readable, Writable] {
    const [stdin, stdout, , third] = this.#process.stdio;
    if (this.#spec.channel === 'stdio') return [stdout as Readable, stdin as Writable];
    return [third as Duplex, third as Duplex];
  }

  #noise(): Readable[] {
    const streams = [this.#process.stderr, this.#spec.channel === 'stdio' ? null : this.#process.stdout];
    return streams.filter((stream) => stream !== null);
  }
}
