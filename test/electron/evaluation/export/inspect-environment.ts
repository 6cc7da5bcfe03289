import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../../../..');
const folder = join(root, '.venv-inspect');
const requirements = join(root, 'test/inspect-requirements.txt');
const stamp = join(folder, '.anchor-setup');
const LIMIT_MS = 15 * 60_000; // 80 wheels over a slow line; on a fast one it takes under a minute

/**
 * The Python that has inspect_ai, in an environment of its own which is made once and again when the pins change. Where it cannot be
 * made (no network, no Python 3.11) the reason comes instead, for the name of the test that is skipped.
 */
export function inspectPython(): { python: string } | { reason: string } {
  const python = join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python');
  const fingerprint = createHash('sha256')
    .update(readFileSync(requirements))
    .update(process.platform + process.arch)
    .digest('hex');
  if (existsSync(python) && existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint)
    return { python };
  rmSync(folder, { recursive: true, force: true });
  const base = join(root, process.platform === 'win32' ? '.venv/Scripts/python.exe' : '.venv/bin/python');
  const steps: [string, string[]][] = [
    [existsSync(base) ? base : 'python3', ['-m', 'venv', folder]],
    [
      python,
      [
        '-m',
        'pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        '--no-input',
        '--no-deps',
        '-r',
        requirements,
      ],
    ],
  ];
  for (const [command, args] of steps) {
    const done = spawnSync(command, args, { encoding: 'utf8', timeout: LIMIT_MS });
    if (done.status !== 0)
      return {
        reason: `${command} ${args.slice(0, 3).join(' ')} failed: ${(done.error?.message ?? done.stderr.trim().split('\n').at(-1) ?? '').slice(0, 200)}`,
      };
  }
  writeFileSync(stamp, fingerprint);
  return { python };
}
