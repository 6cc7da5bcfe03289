import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { Failure } from '../../contract/index.ts';
import { openBundle, serveLab } from '../../hosts/index.ts';
import { askLink, chooseWindow, openBrowser, requireUnserved, type Machine } from '../window-access.ts';
import type { Program } from '../program.ts';

/** `anchor start`, `anchor serve` and `anchor open`. */
export function addWindow(program: Program): void {
  addStart(program);
  addServe(program);
  addOpen(program);
}

type StartOptions = { browser?: boolean; open: boolean; port: number };

/** `anchor start`. */
function addStart(program: Program): void {
  program.command
    .command('start')
    .description(
      "Open the window: on the desktop where Electron's program is installed, else in a tab of the browser.",
    )
    .option('--browser', 'in a tab of the browser even where the desktop window could be opened')
    .option('--no-open', 'print the address and open no browser')
    .option('--port <number>', 'port for the browser tab; 0 picks a free one', parsePort, 0)
    .action(async (options: StartOptions) => {
      const machine: Machine = {
        application: program.application,
        platform: process.platform,
        environment: program.terminal.environment,
      };
      const labFolder = await program.labFolder();
      const choice = chooseWindow(machine, options.browser === true);
      if (choice.kind === 'desktop') {
        program.say(`Anchor Lab opens on the desktop: ${choice.why}.`);
        program.exitCode = await runDesktop(choice.program, program.application, labFolder);
        return;
      }
      program.say(`Anchor Lab opens in a browser tab: ${choice.why}.`);
      const show = (link: string): void => {
        if (!options.open) return;
        program.say(
          openBrowser(machine, link, (text) => program.say(text))
            ? 'Opening the default browser.'
            : 'Open the address above in a browser on this machine; there is no display here to open one.',
        );
      };
      const running = await askLink(labFolder, '').catch((error: unknown) => {
        if (error instanceof Failure && error.kind === 'notServed') return null;
        throw error;
      });
      if (running === null) return serveWindow(program, { port: options.port, onServed: show });
      program.print(
        { link: running },
        () => `The lab is open already in another program; another tab of it:\nWindow:   ${running}`,
      );
      return show(running);
    });
}

/** Runs the desktop window until it is closed; its exit code. */
function runDesktop(electron: string, application: string, labFolder: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(electron, [application], {
      stdio: 'inherit',
      env: { ...process.env, ANCHOR_LAB: labFolder },
    });
    child.on('error', (cause) =>
      reject(
        new Failure(
          'desktopFailed',
          `The desktop window could not be started (${cause.message}); "anchor start --browser" opens it in a browser tab.`,
          1,
          { cause },
        ),
      ),
    );
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

type ServeOptions = {
  /** 0 picks a free one. */
  port: number;
  /** Called with the one-time address once the window is served. */
  onServed?: (link: string) => void;
};

/** Serves the window and the verbs until Ctrl-C. */
async function serveWindow(program: Program, { port, onServed }: ServeOptions): Promise<void> {
  const bundle = openBundle(join(program.application, 'out/renderer'));
  await program.withEngine(async (engine, signal) => {
    const host = await serveLab(engine, { port, bundle });
    try {
      const queued = engine.startQueued();
      if (queued.length > 0) program.say(`Taking up ${queued.length} queued runs: ${queued.join(', ')}`);
      const link = host.link();
      program.print({ url: host.url, token: host.token, link }, () =>
        [
          `Window:   ${link}`,
          '          (lets one browser in, once; "anchor open" prints another)',
          `Programs: ${host.url}/trpc with "Authorization: Bearer ${host.token}"`,
        ].join('\n'),
      );
      onServed?.(link);
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
    } finally {
      await host.close();
    }
  });
}

/** `anchor serve`. */
function addServe(program: Program): void {
  program.command
    .command('serve')
    .description(
      "Serve the window and the engine's verbs on 127.0.0.1 until Ctrl-C. Prints an address that lets one browser in, and a bearer token for programs (tRPC over HTTP and WebSocket under /trpc).",
    )
    .option('--port <number>', 'port; 0 picks a free one', parsePort, 0)
    .action(async (options: { port: number }) => {
      requireUnserved(await program.labFolder());
      return serveWindow(program, options);
    });
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > 65535)
    throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
  return port;
}

/** `anchor open`. */
function addOpen(program: Program): void {
  program.command
    .command('open')
    .description(
      'Print an address of the window that "anchor serve" serves for this lab; it lets one browser in, once.',
    )
    .argument(
      '[place]',
      'where the window opens, as in its own address after the #, such as runs or "runs/run-20260101-ab12/records?outcome=failed"',
      '',
    )
    .action(async (place: string) => {
      const link = await askLink(await program.labFolder(), place);
      program.print({ link }, () => link);
    });
}
