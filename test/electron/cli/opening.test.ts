import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { browserCommand, chooseWindow, type Machine } from '../../../electron/cli/window-access.ts';

let application: string;
beforeEach(() => {
  application = mkdtempSync(join(tmpdir(), 'anchor-doors-'));
});
afterEach(() => rmSync(application, { recursive: true, force: true }));

const on = (environment: NodeJS.ProcessEnv, platform: NodeJS.Platform = 'linux'): Machine => ({
  application,
  platform,
  environment,
});

function putProgram(path: string): string {
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, '#!/bin/sh\n');
  chmodSync(path, 0o755);
  return path;
}

describe('the choice of the window', () => {
  it("is the desktop where Electron's program and a display are", () => {
    const program = putProgram(join(application, 'node_modules/electron/dist/electron'));
    expect(chooseWindow(on({ DISPLAY: ':0' }), false)).toEqual({
      kind: 'desktop',
      program,
      why: `Electron's program is at ${program}`,
    });
  });

  it('finds the program by the note that the download leaves, or in the folder that is named for it', () => {
    const inApp = putProgram(join(application, 'node_modules/electron/dist/Electron.app/electron'));
    writeFileSync(join(application, 'node_modules/electron/path.txt'), 'Electron.app/electron');
    expect(chooseWindow(on({}, 'darwin'), false)).toMatchObject({ kind: 'desktop', program: inApp });
    const elsewhere = putProgram(join(application, 'elsewhere/Electron.app/electron'));
    expect(
      chooseWindow(on({ ELECTRON_OVERRIDE_DIST_PATH: join(application, 'elsewhere') }, 'darwin'), false),
    ).toMatchObject({ program: elsewhere });
  });

  it.each<[string, () => Machine, boolean, RegExp]>([
    [
      'Electron was never downloaded',
      () => on({ DISPLAY: ':0' }),
      false,
      /program is not installed here .*install-electron/,
    ],
    [
      'there is no display',
      () => {
        putProgram(join(application, 'node_modules/electron/dist/electron'));
        return on({ DISPLAY: '' });
      },
      false,
      /no display/,
    ],
    [
      'the person wants it',
      () => {
        putProgram(join(application, 'node_modules/electron/dist/electron'));
        return on({ DISPLAY: ':0' });
      },
      true,
      /--browser/,
    ],
  ])('is a browser tab when %s, and says so', (_what, surroundings, wantsBrowser, why) => {
    expect(chooseWindow(surroundings(), wantsBrowser)).toEqual({
      kind: 'browser',
      why: expect.stringMatching(why) as string,
    });
  });
});

describe('the default browser', () => {
  const address = 'http://127.0.0.1:4000/#token=a&to=%2Fruns';

  it('is opened by what the platform has for it, with the address as one argument', () => {
    const opener = putProgram(join(application, 'bin/xdg-open'));
    expect(
      browserCommand(on({ DISPLAY: ':0', PATH: `/nowhere:${join(application, 'bin')}` }), address),
    ).toEqual({ command: opener, args: [address] });
    expect(browserCommand(on({}, 'darwin'), address)).toEqual({ command: 'open', args: [address] });
    expect(browserCommand(on({}, 'win32'), address)).toEqual({
      command: 'rundll32',
      args: ['url.dll,FileProtocolHandler', address],
    });
  });

  it('is left alone without a display or without an opener', () => {
    putProgram(join(application, 'bin/xdg-open'));
    expect(browserCommand(on({ PATH: join(application, 'bin') }), address)).toBeNull();
    expect(browserCommand(on({ DISPLAY: ':0', PATH: '/nowhere' }), address)).toBeNull();
  });
});
