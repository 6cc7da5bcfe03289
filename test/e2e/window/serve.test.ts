import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { anchor } from '../anchor-cli.ts';
import { APPLICATION, buildWindow } from './open-window.ts';

type Printed = { url: string; token: string; link: string };

const lab = mkdtempSync(join(tmpdir(), 'anchor-serve-'));
let server: ChildProcess;
let printed: Printed;
let said = '';

/** Starts a command that serves until it is stopped, and waits for what it prints. */
function serve(...args: string[]): Promise<{ child: ChildProcess; printed: Printed }> {
  const child = spawn(
    process.execPath,
    [join(APPLICATION, 'electron/cli/anchor.ts'), '--lab', lab, '--json', ...args],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '' } },
  );
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    said += part;
  });
  return new Promise((resolve, reject) => {
    let text = '';
    child.stdout?.setEncoding('utf8').on('data', (part: string) => {
      text += part;
      try {
        resolve({ child, printed: JSON.parse(text) as Printed });
      } catch {
        // not all of it yet
      }
    });
    child.on('exit', (code) => reject(new Error(`ended with ${String(code)}: ${said}`)));
  });
}

beforeAll(async () => {
  buildWindow();
  ({ child: server, printed } = await serve('start', '--browser'));
}, 120_000);
afterAll(async () => {
  if (server?.exitCode === null) {
    server.kill('SIGTERM');
    await new Promise((resolve) => {
      server.on('exit', resolve);
    });
  }
  rmSync(lab, { recursive: true, force: true });
});

const tokenOf = (link: string): string => new URLSearchParams(new URL(link).hash.slice(1)).get('token') ?? '';

function exchange(url: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    request(
      `${url}/session`,
      {
        method: 'POST',
        // A command may take this thread longer than the server keeps an idle connection.
        agent: false,
        headers: { origin: url, 'content-type': 'application/json', 'x-anchor': '1' },
      },
      (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      },
    )
      .on('error', reject)
      .end(JSON.stringify({ token }));
  });
}

describe('npm start without Electron', () => {
  it('says which door it took and why, and what to do without a display', async () => {
    await vi.waitFor(() => expect(said).toContain('there is no display here to open one'), 20_000);
    expect(said).toContain('Anchor Lab opens in a browser tab: --browser was given.');
  });

  it('prints an address that lets one browser in', async () => {
    expect(printed.link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/);
    expect(await exchange(printed.url, tokenOf(printed.link))).toBe(200);
    expect(await exchange(printed.url, tokenOf(printed.link))).toBe(401);
  });

  it('leaves a note for its owner alone', () => {
    expect(statSync(join(lab, 'serving.json')).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(lab, 'serving.json'), 'utf8'))).toMatchObject({
      pid: server.pid,
      url: printed.url,
    });
  });
});

describe('anchor open', () => {
  it('prints another address, to a place of the window', async () => {
    const { code, stdout } = anchor(lab, ['open', 'runs/run-12/records?record=3%2Fgen']);
    expect(code).toBe(0);
    const hash = new URLSearchParams(new URL(stdout.trim()).hash.slice(1));
    expect(hash.get('to')).toBe('/runs/run-12/records?record=3%2Fgen');
    expect(await exchange(printed.url, hash.get('token') ?? '')).toBe(200);
  });

  it('started a second time, the window is the same one', async () => {
    const { code, stdout, stderr } = anchor(lab, ['start', '--browser', '--no-open']);
    expect([code, stderr]).toEqual([0, 'Anchor Lab opens in a browser tab: --browser was given.\n']);
    expect(stdout).toContain(`open already in another program`);
    expect(await exchange(printed.url, tokenOf(/http\S+/.exec(stdout)?.[0] ?? ''))).toBe(200);
  });

  it('says what to do when nothing is served', () => {
    const other = mkdtempSync(join(tmpdir(), 'anchor-unserved-'));
    expect(anchor(other, ['open'])).toMatchObject({
      code: 2,
      stderr: `anchor: No window is served for the lab ${other}; start one with "anchor serve".\n`,
    });
    // A program that was killed leaves its note; this number belongs to nobody.
    writeFileSync(
      join(other, 'serving.json'),
      JSON.stringify({ pid: 2 ** 22 + 1, url: 'http://127.0.0.1:1', token: 'x' }),
    );
    expect(anchor(other, ['open']).code).toBe(2);
    rmSync(other, { recursive: true, force: true });
  });

  it('after the window was closed in good order finds no note', async () => {
    server.kill('SIGTERM');
    await new Promise((resolve) => {
      server.on('exit', resolve);
    });
    expect(existsSync(join(lab, 'serving.json'))).toBe(false);
    expect(anchor(lab, ['open']).code).toBe(2);
  });
});
