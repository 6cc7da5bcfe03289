import type { Readable, Writable } from 'node:stream';
import { ProcessFailure } from './failures.ts';

const NEWLINE = 0x0a;
/** Enough of a bad line to recognise where it came from. */
const EXCERPT_CHARS = 80;

export type JsonObject = Record<string, unknown>;

export type LinePeerOptions = {
  /** Names the process at the other end in errors. */
  name: string;
  input: Readable;
  output: Writable;
  /** Longest line in either direction, in bytes, without its newline. */
  maxLineBytes: number;
  onMessage(message: JsonObject): void;
  /** A line that is not one JSON object. Reading goes on with the next line; whether the process may live is the owner's decision. */
  onProtocolError(failure: ProcessFailure): void;
  /** The other end closed. `unfinishedBytes` is the length of a last line without newline, normal when a process is killed. */
  onEnd(unfinishedBytes: number): void;
};

/**
 * Newline-delimited JSON over two streams: strict UTF-8, one object per line, bounded lines. A line over the limit is
 * dropped while it arrives and never held in memory.
 */
export class LinePeer {
  readonly #options: LinePeerOptions;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  #pieces: Buffer[] = [];
  #pending = 0;
  #overflowing = false;
  #ended = false;
  /** Shared by all senders who wait for the same drain: they may be thousands. */
  #draining: Promise<void> | null = null;

  constructor(options: LinePeerOptions) {
    this.#options = options;
    options.input.on('data', (chunk: Buffer) => this.#take(chunk));
    options.input.on('end', () => this.#end());
    options.input.on('close', () => this.#end());
    options.input.on('error', () => this.#end());
    // A process that died between two writes shows up here as EPIPE; its exit is what gets reported.
    options.output.on('error', () => {});
  }

  /**
   * Writes one object and resolves when the stream wants more, so that a sender who awaits it never outruns a slow reader.
   * Throws ProcessFailure `badRequest` for numbers JSON cannot carry and `tooLarge` for a line over the limit.
   */
  async send(message: object): Promise<void> {
    const { name, output, maxLineBytes } = this.#options;
    const line = `${JSON.stringify(message, refuseNonFinite)}\n`;
    const bytes = Buffer.byteLength(line) - 1;
    if (bytes > maxLineBytes) {
      throw new ProcessFailure(name, {
        kind: 'tooLarge',
        message: `A request of ${bytes} bytes to the ${name} is over the limit of ${maxLineBytes}; send fewer items at once.`,
      });
    }
    if (output.destroyed || !output.writable) return;
    if (!output.write(line))
      await (this.#draining ??= drained(output).finally(() => {
        this.#draining = null;
      }));
  }

  #take(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      this.#add(chunk.subarray(start, end));
      this.#finishLine();
      start = end + 1;
    }
    this.#add(chunk.subarray(start));
  }

  #add(piece: Buffer): void {
    this.#pending += piece.length;
    if (this.#overflowing || piece.length === 0) return;
    if (this.#pending > this.#options.maxLineBytes) {
      this.#overflowing = true;
      this.#pieces = [];
    } else {
      this.#pieces.push(piece);
    }
  }

  #finishLine(): void {
    const { maxLineBytes, onMessage } = this.#options;
    const bytes = this.#pending;
    const overflowed = this.#overflowing;
    const line = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#pending = 0;
    this.#overflowing = false;
    if (overflowed) return this.#complain(`a line of ${bytes} bytes, over the limit of ${maxLineBytes}`);
    const message = this.#parse(line);
    if (message) onMessage(message);
  }

  #parse(line: Buffer): JsonObject | null {
    let text: string;
    try {
      text = this.#decoder.decode(line);
    } catch {
      this.#complain('a line that is not valid UTF-8');
      return null;
    }
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
    } catch {
      // Falls through: text that is no JSON and JSON that is no object are the same fault.
    }
    this.#complain(`a line that is not a JSON object: ${JSON.stringify(text.slice(0, EXCERPT_CHARS))}`);
    return null;
  }

  #complain(what: string): void {
    const { name, onProtocolError } = this.#options;
    onProtocolError(
      new ProcessFailure(name, {
        kind: 'protocol',
        message: `The ${name} sent ${what}, which its protocol does not allow.`,
      }),
    );
  }

  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#options.onEnd(this.#pending);
  }
}

/** JSON.stringify writes NaN and infinities as null, which would reach the other side as a different request. */
function refuseNonFinite(key: string, value: unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new ProcessFailure('engine', {
      kind: 'badRequest',
      message: `The field "${key}" of a request is ${value}, which JSON cannot carry.`,
    });
  }
  return value;
}

/** Resolves on drain, and also when the stream dies: the exit of the process is reported elsewhere. */
function drained(output: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      output.off('drain', done);
      output.off('close', done);
      resolve();
    };
    output.on('drain', done);
    output.on('close', done);
  });
}
