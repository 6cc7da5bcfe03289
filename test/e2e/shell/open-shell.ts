import { fork, type ChildProcess } from 'node:child_process';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';
import type { record } from '../../double/record.ts';
import type { MenuItem } from '../../double/native-ui.ts';
import { until } from './page-verbs.ts';

export const root = join(import.meta.dirname, '../../..');

export type ShellRecord = typeof record & { sandbox: boolean; spellChecker: boolean; dictionaries: string };
export type WindowFacts = {
  bounds: { x: number; y: number; width: number; height: number };
  visible: boolean;
  focused: boolean;
  preferences: Record<string, unknown>;
  url: string;
};

export type OpenShell = {
  page: Page;
  /** What the application said on standard error so far. */
  output(): string;
  record(): Promise<ShellRecord>;
  deed<T = unknown>(name: string, ...args: unknown[]): Promise<T>;
  menu(): Promise<MenuItem[]>;
  windows(): Promise<WindowFacts[]>;
  /** Resolves with the exit code once the application has ended by itself. */
  ended: Promise<number | null>;
  close(): Promise<void>;
};

export type ShellOptions = {
  lab: string;
  /** Where the application keeps its own files; a folder of its own by default. */
  home?: string;
  /** The application's folder: the checkout by default, or an unpacked archive. */
  application?: string;
  environment?: Record<string, string>;
};

const START_MS = 90_000;
const DEED_MS = 60_000;

/** Starts the real built application in the stand-in for Electron and connects to its page. */
export async function openShell({
  lab,
  home,
  application = root,
  environment = {},
}: ShellOptions): Promise<OpenShell> {
  const port = await freePort();
  const child = fork(join(root, 'test/double/run.ts'), [application], {
    execArgv: ['--import', join(root, 'test/double/register.ts')],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: {
      ...process.env,
      NODE_OPTIONS: '',
      ANCHOR_LAB: lab,
      DOUBLE_CDP: String(port),
      ...(home === undefined ? {} : { DOUBLE_HOME: home }),
      ...environment,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
    });
  const ended = new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
  });
  const deed = deeds(child);
  let browser: Browser | null = null;
  const close = async (): Promise<void> => {
    await browser?.close().catch(() => {});
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 30_000);
    await ended;
    clearTimeout(timer);
  };
  try {
    browser = await connect(port, ended, () => output);
    const page = await firstPage(browser);
    const windows = (): Promise<WindowFacts[]> => deed('window');
    // Chromium tells each of those who watch of a navigation in its own time: the stand-in may hear of it after us.
    await until(windows, ([first]) => first !== undefined && first.url !== 'about:blank', START_MS);
    return {
      page,
      ended,
      close,
      deed,
      output: () => output,
      record: () => deed<ShellRecord>('record'),
      menu: () => deed<MenuItem[]>('menu'),
      windows,
    };
  } catch (error) {
    await close();
    throw new Error(`The application did not open its window: ${String(error)}\n${output}`, { cause: error });
  }
}

function deeds(child: ChildProcess): <T>(name: string, ...args: unknown[]) => Promise<T> {
  let lastId = 0;
  const open = new Map<number, PromiseWithResolvers<unknown>>();
  child.on('message', (message: { id: number; value?: unknown; error?: string }) => {
    const asked = open.get(message.id);
    open.delete(message.id);
    if (message.error === undefined) asked?.resolve(message.value);
    else asked?.reject(new Error(message.error));
  });
  return async <T>(name: string, ...args: unknown[]): Promise<T> => {
    const id = (lastId += 1);
    const asked = Promise.withResolvers<unknown>();
    open.set(id, asked);
    const timer = setTimeout(
      () => asked.reject(new Error(`The application did not answer "${name}".`)),
      DEED_MS,
    );
    child.send({ id, deed: name, args });
    return asked.promise.finally(() => clearTimeout(timer)) as Promise<T>;
  };
}

async function connect(port: number, ended: Promise<number | null>, output: () => string): Promise<Browser> {
  const end = Date.now() + START_MS;
  let hasEnded = false;
  const watch = async (): Promise<void> => {
    await ended;
    hasEnded = true;
  };
  void watch();
  for (;;) {
    try {
      return await chromium.connectOverCDP(`http://127.0.0.1:${port}`);
    } catch (error) {
      if (hasEnded || Date.now() > end)
        throw new Error(`no connection to the page: ${output()}`, { cause: error });
      await new Promise((resolve) => {
        setTimeout(resolve, 200);
      });
    }
  }
}

async function firstPage(browser: Browser): Promise<Page> {
  const end = Date.now() + START_MS;
  for (;;) {
    const page = browser
      .contexts()
      .flatMap((context) => context.pages())
      .find((candidate) => candidate.url().includes('stand-in.invalid'));
    if (page !== undefined) return page;
    if (Date.now() > end) throw new Error('the window showed no page');
    await new Promise((resolve) => {
      setTimeout(resolve, 100);
    });
  }
}

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as { port: number };
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  return port;
}
