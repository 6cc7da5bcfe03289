import { spawn } from 'node:child_process';
import { Failure } from '../../contract/index.ts';
import type { Program } from '../program.ts';
import { chooseDoor, type Surroundings } from '../start/doors.ts';
import { openBrowser } from '../start/open-browser.ts';
import { serveWindow } from '../start/serve-window.ts';
import { askLink } from '../start/ticket.ts';
import { parsePort } from './serve.ts';

type StartOptions = { browser?: boolean; open: boolean; port: number };

/** `anchor start`. */
export function addStart(program: Program): void {
  program.command
    .command('start')
    .description(
      "Open the window: on the desktop where Electron's program is installed, else in a tab of the browser.",
    )
    .option('--browser', 'in a tab of the browser even where the desktop window could be opened')
    .option('--no-open', 'print the address and open no browser')
    .option('--port <number>', 'port for the browser tab; 0 picks a free one', parsePort, 0)
    .action(async (options: StartOptions) => {
      const surroundings: Surroundings = {
        application: program.application,
        platform: process.platform,
        environment: program.terminal.environment,
      };
      const labFolder = await program.labFolder();
      const door = chooseDoor(surroundings, options.browser === true);
      if (door.kind === 'desktop') {
        program.say(`Anchor Lab opens on the desktop: ${door.why}.`);
        program.exitCode = await runDesktop(door.program, program.application, labFolder);
        return;
      }
      program.say(`Anchor Lab opens in a browser tab: ${door.why}.`);
      const show = (link: string): void => {
        if (!options.open) return;
        program.say(
          openBrowser(surroundings, link, (text) => program.say(text))
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
