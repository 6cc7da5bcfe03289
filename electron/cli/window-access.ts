import { spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { request } from 'node:http';
import { z } from 'zod';
import { Failure } from '../contract/index.ts';
import { labHolder } from '../engine/open-records.ts';
import { linkTo, readServingNote } from '../hosts/index.ts';

/** How the window is opened here, and why that way. */
type WindowChoice = { kind: 'desktop'; program: string; why: string } | { kind: 'browser'; why: string };

export type Machine = { application: string; platform: NodeJS.Platform; environment: NodeJS.ProcessEnv };

/** The desktop window where Electron's program and a display are there; else a tab of a browser. Starts and downloads nothing. */
export function chooseWindow(machine: Machine, wantsBrowser: boolean): WindowChoice {
  if (wantsBrowser) return { kind: 'browser', why: '--browser was given' };
  const program = electronProgram(machine);
  if (program === null)
    return {
      kind: 'browser',
      why: 'Electron\'s program is not installed here ("npx install-electron" downloads it)',
    };
  if (!hasDisplay(machine))
    return { kind: 'browser', why: 'there is no display (neither DISPLAY nor WAYLAND_DISPLAY is set)' };
  return { kind: 'desktop', program, why: `Electron's program is at ${program}` };
}

/** Where the electron package says that its program lies; null when it was never downloaded. */
function electronProgram({ application, environment }: Machine): string | null {
  const folder = join(application, 'node_modules/electron');
  const note = join(folder, 'path.txt');
  const name = existsSync(note) ? readFileSync(note, 'utf8').trim() : 'electron';
  const program = join(environment['ELECTRON_OVERRIDE_DIST_PATH'] ?? join(folder, 'dist'), name);
  return isProgram(program) ? program : null;
}

function hasDisplay({ platform, environment }: Machine): boolean {
  if (platform !== 'linux') return true;
  return [environment['DISPLAY'], environment['WAYLAND_DISPLAY']].some(
    (display) => display !== undefined && display !== '',
  );
}

/** What opens an address in the person's browser; null where there is nothing to open it with. */
export function browserCommand(
  machine: Machine,
  address: string,
): { command: string; args: string[] } | null {
  if (machine.platform === 'darwin') return { command: 'open', args: [address] };
  // Not through cmd.exe, which would read the & of the address as its own.
  if (machine.platform === 'win32')
    return { command: 'rundll32', args: ['url.dll,FileProtocolHandler', address] };
  const opener = (machine.environment['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'xdg-open'))
    .find(isProgram);
  return hasDisplay(machine) && opener !== undefined ? { command: opener, args: [address] } : null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens the address in the person's browser and says whether that was tried. The token in it works once, so that what other users
 * of the machine may read in the process list is worthless a moment later.
 */
export function openBrowser(machine: Machine, address: string, say: (text: string) => void): boolean {
  const opener = browserCommand(machine, address);
  if (opener === null) return false;
  const child = spawn(opener.command, opener.args, { detached: true, stdio: 'ignore' });
  child.on('error', (error) =>
    say(`The browser could not be opened (${error.message}); open the address above by hand.`),
  );
  child.unref();
  return true;
}

const ANSWER_MS = 10_000;
const answerSchema = z.object({ token: z.string() });

/**
 * A one-time address of the window that another program serves for this lab.
 * @param place as in the window's own address after the #, with or without its first slash; empty for the start.
 * @throws Failure `notServed`.
 */
export async function askLink(labFolder: string, place: string): Promise<string> {
  const note = readServingNote(labFolder);
  if (!note.window)
    throw new Failure(
      'notServed',
      `Process ${note.pid} has the lab ${labFolder} open without a window; end it, or wait for its end, then start one with "anchor serve".`,
      2,
    );
  return linkTo(
    note.url,
    await askTicket(note),
    place === '' ? undefined : `/${place.replace(/^[#/]+/, '')}`,
  );
}

/**
 * A lab has one window, of which there can be many tabs.
 * @throws Failure `labLocked` (exit code 1) with the way to that window, where another program serves the lab.
 */
export function requireUnserved(labFolder: string): void {
  const holder = labHolder(labFolder);
  if (holder === null) return;
  let note: ReturnType<typeof readServingNote>;
  try {
    note = readServingNote(labFolder);
  } catch {
    return; // opening the lab says who has it
  }
  // A program that was killed leaves its note behind, and another one may have its number by now.
  if (note.pid !== holder.pid) return;
  throw new Failure(
    'labLocked',
    note.window
      ? `Process ${note.pid} serves the window of the lab ${labFolder} already; "anchor open" prints an address for another tab of it.`
      : `Process ${note.pid} has the lab ${labFolder} open without a window; end it, or wait for its end, then serve the window.`,
  );
}

function askTicket({ url, token }: { url: string; token: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(
        new Failure(
          'notServed',
          `The window at ${url} does not answer; start it again with "anchor serve".`,
          1,
          { cause },
        ),
      );
    const asked = request(
      `${url}/ticket`,
      { method: 'POST', timeout: ANSWER_MS, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (part: string) => {
            text += part;
          })
          .on('error', fail)
          .on('end', () => {
            if (response.statusCode === 200) resolve(answerSchema.parse(JSON.parse(text)).token);
            else fail(new Error(`status ${response.statusCode}`));
          });
      },
    );
    asked
      .on('error', fail)
      .on('timeout', () => asked.destroy(new Error('no answer in time')))
      .end();
  });
}
