import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, chmodSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { root } from '../real-runner.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-launch-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** A copy of the launcher with recording stand-ins for npm and python, which note how they were called. */
function checkout(name: string): {
  folder: string;
  calls: () => string[];
  setup: (extra?: Record<string, string>, command?: string) => { code: number | null; stderr: string };
} {
  const folder = join(scratch, name);
  mkdirSync(join(folder, 'electron/cli'), { recursive: true });
  mkdirSync(join(folder, 'native'));
  mkdirSync(join(folder, 'programs'));
  cpSync(join(root, 'electron/cli/launch.mjs'), join(folder, 'electron/cli/launch.mjs'));
  writeFileSync(join(folder, 'package-lock.json'), '{}');
  writeFileSync(join(folder, 'native/requirements.txt'), 'none==1\n');
  writeFileSync(join(folder, 'native/requirements-dev.txt'), 'tool==1\n');
  writeFileSync(join(folder, 'native/requirements-nf4.txt'), 'kernels==1\n');
  mkdirSync(join(folder, 'test'));
  writeFileSync(join(folder, 'test/run.ts'), '');
  const log = join(folder, 'calls');
  writeFileSync(log, '');
  const standIn = (program: string, body: string): void => {
    writeFileSync(join(folder, 'programs', program), `#!/bin/sh\n${body}\n`);
    chmodSync(join(folder, 'programs', program), 0o755);
  };
  standIn(
    'npm',
    `echo "npm $*" >> ${log}; [ -z "$BREAK_NPM" ] || { sleep $BREAK_NPM; exit 7; }; mkdir -p node_modules`,
  );
  standIn(
    'python3.13',
    `case "$1" in -c) echo True;; *) echo "python $*" >> ${log}; [ -z "$SLOW_PYTHON" ] || { echo $$ > slow; exec sleep 60; }; mkdir -p .venv/bin; cp ${join(folder, 'programs/python3.13')} .venv/bin/python;; esac`,
  );
  for (const program of ['bwrap', 'strace', 'gcc', 'chromium']) standIn(program, 'exit 0');
  return {
    folder,
    calls: () => readFileSync(log, 'utf8').split('\n').filter(Boolean),
    setup: (extra = {}, command = 'setup') => {
      const { status, stderr } = spawnSync(
        process.execPath,
        [join(folder, 'electron/cli/launch.mjs'), command],
        {
          encoding: 'utf8',
          env: {
            ...process.env,
            PATH: `${join(folder, 'programs')}${delimiter}${process.env['PATH']}`,
            ...extra,
          },
        },
      );
      return { code: status, stderr };
    },
  };
}

describe.runIf(process.platform !== 'win32')(
  'set-up (the stand-ins are shell scripts, so not on Windows)',
  () => {
    it('installs once, says what it does, and does nothing the second time', () => {
      const { calls, setup } = checkout('twice');
      const first = setup();
      expect(first.code).toBe(0);
      expect(first.stderr).toMatch(
        /installing the Node packages[\s\S]*creating the Python environment[\s\S]*installing the Python packages/,
      );
      expect(calls().map((call) => call.split(' ').slice(0, 3).join(' '))).toEqual([
        'npm ci --no-audit',
        'python -m venv',
        'python -m pip',
      ]);
      expect(setup()).toEqual({ code: 0, stderr: '' });
      expect(calls()).toHaveLength(3);
    });

    it('installs again what a changed pin belongs to, and only that', () => {
      const { folder, calls, setup } = checkout('changed');
      setup();
      writeFileSync(join(folder, 'native/requirements.txt'), 'none==2\n');
      setup();
      expect(
        calls()
          .slice(3)
          .every((call) => call.startsWith('python')),
      ).toBe(true);
      expect(calls()).toHaveLength(5);
    });

    it('installs the tools of the tests for a command that tests, and again when their pins change', () => {
      const { folder, calls, setup } = checkout('tools');
      const pins = (): string[] =>
        calls().flatMap((call) => /^python -m pip .* (native\/[\w.-]+)$/.exec(call)?.[1] ?? []);
      setup();
      expect(pins()).toEqual(['native/requirements.txt']);
      expect(setup({}, 'test').code).toBe(0);
      const ofTests = ['native/requirements-dev.txt', 'native/requirements-nf4.txt'];
      expect(pins()).toEqual(['native/requirements.txt', ...ofTests]);
      expect(setup({}, 'test')).toEqual({ code: 0, stderr: '' });
      writeFileSync(join(folder, 'native/requirements-dev.txt'), 'tool==2\n');
      setup({}, 'test');
      expect(pins().slice(3)).toEqual(ofTests);
    });

    it('a failed step ends with one sentence and is tried again next time', () => {
      const { calls, setup } = checkout('failing');
      const { code, stderr } = setup({ BREAK_NPM: '0' });
      expect(code).toBe(1);
      expect(stderr.split('\n').filter((line) => line.startsWith('anchor: '))).toEqual([
        expect.stringMatching(
          /installing the Node packages .* failed \(exit code 7\)\. Check the connection/,
        ) as string,
      ]);
      expect(setup().code).toBe(0);
      expect(calls().filter((call) => call.startsWith('npm'))).toHaveLength(2);
    });

    it('parts work beside each other, and one that fails ends the others', async () => {
      const { folder, calls, setup } = checkout('beside');
      expect(setup({ BREAK_NPM: '1', SLOW_PYTHON: '1' }).code).toBe(1);
      expect(calls().map((call) => call.split(' ')[0])).toEqual(expect.arrayContaining(['npm', 'python']));
      const slow = Number(readFileSync(join(folder, 'slow'), 'utf8'));
      const isGone = (): boolean => {
        try {
          return !process.kill(slow, 0);
        } catch {
          return true;
        }
      };
      await expect.poll(isGone, { timeout: 10_000 }).toBe(true);
    });

    it('says a sentence where the program died without one', () => {
      const { folder, setup } = checkout('killed');
      setup();
      mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
      const pinned = join(folder, 'node_modules/.bin/node');
      const dying = (signal: string): { code: number | null; stderr: string } => {
        writeFileSync(pinned, `#!/bin/sh\nkill -${signal} $$\n`);
        chmodSync(pinned, 0o755);
        return setup({}, 'runs');
      };
      const { code, stderr } = dying('SEGV');
      expect(stderr).toMatch(/^anchor: the program was ended by SIGSEGV before it could say why: .*\n$/);
      expect(code).toBe(1);
      expect(dying('TERM')).toEqual({ code: 1, stderr: '' });
    });

    it('a checkout that is set up starts the command in its own process, and on another Node where that is the pinned one', () => {
      const { folder, setup } = checkout('starting');
      setup();
      writeFileSync(
        join(folder, 'electron/cli/anchor.ts'),
        `console.log(JSON.stringify({ pid: process.pid as number, args: process.argv.slice(2), on: process.env.ON ?? 'this' }));`,
      );
      const launch = (): { pid: number; said: unknown } => {
        const { pid, stdout } = spawnSync(
          process.execPath,
          [join(folder, 'electron/cli/launch.mjs'), 'runs', '--json'],
          {
            encoding: 'utf8',
            env: { ...process.env, PATH: `${join(folder, 'programs')}${delimiter}${process.env['PATH']}` },
          },
        );
        return { pid, said: JSON.parse(stdout) };
      };
      const alone = launch();
      expect(alone.said).toEqual({ pid: alone.pid, args: ['runs', '--json'], on: 'this' });
      mkdirSync(join(folder, 'node_modules/.bin'), { recursive: true });
      const pinned = join(folder, 'node_modules/.bin/node');
      writeFileSync(pinned, `#!/bin/sh\nON=pinned exec ${process.execPath} "$@"\n`);
      chmodSync(pinned, 0o755);
      const other = launch();
      expect(other.said).toMatchObject({ args: ['runs', '--json'], on: 'pinned' });
      expect(other.said).not.toMatchObject({ pid: other.pid });
    });
  },
);
