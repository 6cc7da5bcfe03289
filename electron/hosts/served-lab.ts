import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createTRPCClient, createWSClient, wsLink } from '@trpc/client';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { Failure } from '../contract/index.ts';
import type { Engine, EngineRouter } from '../engine/index.ts';
import { writeWholeFile } from '../library/index.ts';
import { KnownTabs } from './known-tabs.ts';
import { serveLoopback, type LoopbackHost, type LoopbackOptions } from './loopback.ts';

const noteSchema = z.object({
  pid: z.int().positive(),
  url: z.url(),
  token: z.string().min(1),
  /** Whether the pages of the window are there as well, or the verbs only. */
  window: z.boolean(),
});
type ServingNote = z.infer<typeof noteSchema>;

/** Beside the database, readable by its owner only: it lets other programs of this person reach the lab that is open. */
const placeOf = (labFolder: string): string => join(labFolder, 'serving.json');

/** Serves an open lab on 127.0.0.1 and leaves a note of where, until it is closed. @throws Failure `portInUse`. */
export async function serveLab(engine: Engine, options: LoopbackOptions): Promise<LoopbackHost> {
  const tabs = new KnownTabs(
    () => engine.clock.now().getTime(),
    options.bundle === null ? null : engine.lab.root,
  );
  const host = await serveAgain(engine, { tabs, ...options });
  const place = placeOf(engine.lab.root);
  const note: ServingNote = {
    pid: process.pid,
    url: host.url,
    token: host.token,
    window: options.bundle !== null,
  };
  try {
    writeWholeFile(place, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch (error) {
    // On a full disk the window is there all the same, and only other programs do not find it.
    if (engine.store.damage() === null) {
      await host.close();
      throw error;
    }
  }
  return {
    ...host,
    close: async () => {
      rmSync(place, { force: true });
      await host.close();
    },
  };
}

const PORT = 'app.windowPort';

/** On the port that the lab's window had last, where it is free and none is asked for: a tab that is open still finds it there. */
async function serveAgain(engine: Engine, options: LoopbackOptions): Promise<LoopbackHost> {
  if (options.port !== 0 || options.bundle === null) return serveLoopback(engine, options);
  const before = z.int().min(1024).max(65_535).safeParse(engine.store.getSetting(PORT));
  if (before.success) {
    try {
      return await serveLoopback(engine, { ...options, port: before.data });
    } catch (error) {
      if (!(error instanceof Failure) || error.kind !== 'portInUse') throw error;
    }
  }
  const host = await serveLoopback(engine, options);
  // A damaged lab is read all the same; then the next start has another port.
  if (engine.store.damage() === null) engine.store.setSetting(PORT, Number(new URL(host.url).port));
  return host;
}

/** @throws Failure `notServed` when no program serves the lab now. */
export function readServingNote(labFolder: string): ServingNote {
  try {
    const note = noteSchema.parse(JSON.parse(readFileSync(placeOf(labFolder), 'utf8')));
    process.kill(note.pid, 0); // a program that was killed leaves its note behind
    return note;
  } catch (cause) {
    throw new Failure(
      'notServed',
      `No window is served for the lab ${labFolder}; start one with "anchor serve".`,
      2,
      { cause },
    );
  }
}

const NEVER_MS = 2 ** 31 - 1; // the longest timer there is

/** The verbs of an engine in another process. */
export type ReachedLab = {
  pid: number;
  api: ReturnType<typeof createTRPCClient<EngineRouter>>;
  /** Rejects with a Failure `notServed` once the connection is gone. */
  lost: Promise<never>;
  close(): void;
};

/** Connects to the program that serves a lab. @throws Failure `notServed` where none does. */
export function reachLab(labFolder: string): ReachedLab {
  const { pid, url, token } = readServingNote(labFolder);
  let lose: (failure: Failure) => void;
  const lost = new Promise<never>((_, reject) => {
    lose = reject;
  });
  lost.catch(() => {}); // whoever asks something hears of it
  class WithToken extends WebSocket {
    constructor(address: string) {
      super(address, { headers: { authorization: `Bearer ${token}` } });
    }
  }
  const socket = createWSClient({
    url: `${url.replace(/^http/, 'ws')}/trpc`,
    WebSocket: WithToken as never,
    // An engine that is gone does not come back under its address.
    retryDelayMs: () => NEVER_MS,
    onClose: () =>
      lose(
        new Failure(
          'notServed',
          `Process ${pid}, which had the lab ${labFolder} open, ended or closed the connection; what was stored is kept, so ask again.`,
        ),
      ),
  });
  return {
    pid,
    api: createTRPCClient<EngineRouter>({ links: [wsLink({ client: socket })] }),
    lost,
    close: () => void socket.close(),
  };
}
