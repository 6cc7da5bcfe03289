import type { IpcMain, WebContents, WebFrameMain } from 'electron';
import { z } from 'zod';
import {
  type EngineState,
  type OfferedCommand,
  offeredCommandSchema,
  type PathRequest,
  pathRequestSchema,
  type SaveRequest,
  saveRequestSchema,
} from '../contract/index.ts';
import { Allowance, type FromEngine, type ToEngine } from '../hosts/index.ts';
import { isOwnAddress } from './page.ts';

const connectionSchema = z.int().positive();
/** One frame of the window's connection; a page of 500 records is well under it. */
const FRAME_CHARS = 1024 * 1024;

/** Everything a page may say, with the form it must have. There is no other channel. */
export const PAGE_CHANNELS = {
  'engine:open': z.tuple([connectionSchema]),
  'engine:send': z.tuple([connectionSchema, z.string().max(FRAME_CHARS)]),
  'engine:close': z.tuple([connectionSchema]),
  'engine:state': z.tuple([]),
  'engine:restart': z.tuple([]),
  'commands:offer': z.tuple([z.array(offeredCommandSchema).max(300)]),
  'paths:choose': z.tuple([pathRequestSchema]),
  'text:save': z.tuple([saveRequestSchema]),
  'text:copy': z.tuple([z.string().max(FRAME_CHARS)]),
  'notes:open': z.tuple([]),
} as const;
export type PageChannel = keyof typeof PAGE_CHANNELS;
export type PageWords<C extends PageChannel> = z.output<(typeof PAGE_CHANNELS)[C]>;

/** How often each may be used: `burst` at once, `perSecond` in the long run. A dialog needs a person. */
export const PAGE_RATES: Readonly<Record<PageChannel, { burst: number; perSecond: number }>> = {
  'engine:open': { burst: 20, perSecond: 2 },
  'engine:send': { burst: 600, perSecond: 200 },
  'engine:close': { burst: 20, perSecond: 2 },
  'engine:state': { burst: 20, perSecond: 2 },
  'engine:restart': { burst: 5, perSecond: 0.2 },
  'commands:offer': { burst: 60, perSecond: 10 },
  'paths:choose': { burst: 5, perSecond: 1 },
  'text:save': { burst: 5, perSecond: 1 },
  'text:copy': { burst: 20, perSecond: 5 },
  'notes:open': { burst: 5, perSecond: 1 },
};

/** What the shell says to the page. */
export type ShellChannel = 'engine:event' | 'engine:state' | 'commands:run';

/** The parts of Electron's IPC event that tell who speaks. */
export type Speaker = {
  sender: Pick<WebContents, 'id' | 'mainFrame'>;
  senderFrame: Pick<WebFrameMain, 'url' | 'parent' | 'processId' | 'routingId'> | null;
};

/** `isOurs`: the sender is our own page, and only what it said or how often was refused. */
export type Verdict<C extends PageChannel> =
  | { ok: true; words: PageWords<C> }
  | { ok: false; why: string; isOurs: boolean };

/** Decides about every message that reaches the shell: who sent it, in which form, how often. */
export class IpcGuard {
  readonly #isOurWindow: (contentsId: number) => boolean;
  readonly #allowances: Record<PageChannel, Allowance>;
  readonly #onRefused: (channel: string, why: string) => void;

  constructor(
    isOurWindow: (contentsId: number) => boolean,
    nowMs: () => number,
    onRefused: (channel: string, why: string) => void,
  ) {
    this.#isOurWindow = isOurWindow;
    this.#onRefused = onRefused;
    this.#allowances = Object.fromEntries(
      Object.entries(PAGE_RATES).map(([channel, { burst, perSecond }]) => [
        channel,
        new Allowance(burst, perSecond, nowMs),
      ]),
    ) as Record<PageChannel, Allowance>;
  }

  /** Refusals are counted where `onRefused` leads; a stranger learns nothing but that nothing happens. */
  admit<C extends PageChannel>(channel: C, event: Speaker, args: unknown[]): Verdict<C> {
    const stranger = this.#stranger(event);
    const why = stranger ?? (this.#allowances[channel].take() ? null : 'too often');
    const words = why === null ? PAGE_CHANNELS[channel].safeParse(args) : null;
    if (words?.success === true) return { ok: true, words: words.data as PageWords<C> };
    const reason =
      why ??
      `wrong form: ${words?.error?.issues[0]?.path.join('.') ?? ''} ${words?.error?.issues[0]?.message ?? ''}`;
    this.#onRefused(channel, reason);
    return { ok: false, why: reason, isOurs: stranger === null };
  }

  /** Why this sender may not speak; null for the top frame of our own page in our own window. */
  #stranger({ sender, senderFrame }: Speaker): string | null {
    if (!this.#isOurWindow(sender.id)) return 'not our window';
    if (senderFrame === null) return 'a frame that is gone';
    const { processId, routingId } = sender.mainFrame;
    if (
      senderFrame.parent !== null ||
      senderFrame.processId !== processId ||
      senderFrame.routingId !== routingId
    )
      return 'not the top frame';
    return isOwnAddress(senderFrame.url) ? null : 'not our page';
  }
}

/** What the page can have done; one entry per channel beside the engine's. */
export type BridgeActs = {
  engineState(): EngineState;
  restartEngine(): void;
  offerCommands(commands: OfferedCommand[]): void;
  choosePaths(request: PathRequest): Promise<string[]>;
  saveText(request: SaveRequest): Promise<string | null>;
  copyText(text: string): void;
  openNotes(): void;
};

/** Listens on the page's channels, each through the guard; a refused question gets an error without details. */
export function serveBridge(ipcMain: IpcMain, guard: IpcGuard, relay: WindowRelay, acts: BridgeActs): void {
  const onMessage = <C extends PageChannel>(channel: C, act: (...words: PageWords<C>) => void): void => {
    ipcMain.on(channel, (event, ...args) => {
      const verdict = guard.admit(channel, event satisfies Speaker, args);
      if (verdict.ok) act(...verdict.words);
    });
  };
  const answer = <C extends PageChannel>(channel: C, act: (...words: PageWords<C>) => unknown): void => {
    ipcMain.handle(channel, (event, ...args) => {
      const verdict = guard.admit(channel, event satisfies Speaker, args);
      if (!verdict.ok) throw new Error('refused');
      return act(...verdict.words);
    });
  };
  ipcMain.on('engine:open' satisfies PageChannel, (event, ...args) => {
    const verdict = guard.admit('engine:open', event satisfies Speaker, args);
    if (verdict.ok) return relay.open(...verdict.words);
    // Our page would wait for a connection that never opens; it closes and tries again later.
    const said = PAGE_CHANNELS['engine:open'].safeParse(args);
    if (verdict.isOurs && said.success) relay.refuse(...said.data);
  });
  onMessage('engine:send', (id, text) => relay.send(id, text));
  onMessage('engine:close', (id) => relay.close(id));
  onMessage('engine:restart', () => acts.restartEngine());
  onMessage('commands:offer', (commands) => acts.offerCommands(commands));
  onMessage('notes:open', () => acts.openNotes());
  answer('engine:state', () => acts.engineState());
  answer('paths:choose', (request) => acts.choosePaths(request));
  answer('text:save', (request) => acts.saveText(request));
  answer('text:copy', (text) => acts.copyText(text));
}

/** Says something to the page, if it is there. */
export function say(contents: WebContents | null, channel: ShellChannel, ...words: unknown[]): void {
  if (contents !== null && !contents.isDestroyed()) contents.send(channel, ...words);
}

/** The window's connections to the engine, by the page's own numbers and by those of the engine's process. */
type Connection = { page: number; socket: number; opened: boolean };

/** More than a window ever opens; a page that does not close its connections is not given more. */
const MOST_CONNECTIONS = 8;

export type RelayOptions = {
  toEngine(message: ToEngine): void;
  toPage(connection: number, kind: 'open' | 'message' | 'close', data?: string): void;
};

/**
 * Carries the window's connections between page and engine. While the engine starts, connections wait; when it dies they are
 * closed, and the page comes back with its place in the stream of events.
 */
export class WindowRelay {
  readonly #options: RelayOptions;
  readonly #connections = new Map<number, Connection>();
  #isReady = false;
  #lastSocket = 0;

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  open(page: number): void {
    if (this.#connections.has(page) || this.#connections.size >= MOST_CONNECTIONS) return this.refuse(page);
    const connection = { page, socket: (this.#lastSocket += 1), opened: false };
    this.#connections.set(page, connection);
    if (this.#isReady) this.#admit(connection);
  }

  /** Tells the page that a connection it asked for is closed. */
  refuse(page: number): void {
    this.#options.toPage(page, 'close');
  }

  send(page: number, text: string): void {
    const connection = this.#connections.get(page);
    if (connection?.opened === true)
      this.#options.toEngine({ kind: 'socket', id: connection.socket, what: 'message', text });
  }

  close(page: number): void {
    const connection = this.#connections.get(page);
    if (connection === undefined) return;
    this.#connections.delete(page);
    if (connection.opened) this.#options.toEngine({ kind: 'socket', id: connection.socket, what: 'close' });
  }

  /** The page was loaded again or is gone. */
  forgetPage(): void {
    for (const page of this.#connections.keys()) this.close(page);
  }

  engineReady(): void {
    this.#isReady = true;
    for (const connection of this.#connections.values()) this.#admit(connection);
  }

  engineGone(): void {
    this.#isReady = false;
    for (const { page } of this.#connections.values()) this.#options.toPage(page, 'close');
    this.#connections.clear();
  }

  receive(message: Extract<FromEngine, { kind: 'socket' }>): void {
    const connection = [...this.#connections.values()].find(({ socket }) => socket === message.id);
    if (connection === undefined) return;
    if (message.what === 'message') return this.#options.toPage(connection.page, 'message', message.text);
    this.#connections.delete(connection.page);
    this.#options.toPage(connection.page, 'close');
  }

  #admit(connection: Connection): void {
    connection.opened = true;
    this.#options.toEngine({ kind: 'socket', id: connection.socket, what: 'open' });
    this.#options.toPage(connection.page, 'open');
  }
}
