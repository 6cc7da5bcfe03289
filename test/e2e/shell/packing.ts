import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './open-shell.ts';

/** Where Electron's binary keeps its switches: this text, a version, their number, then one character each. */
const SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX';
/** The switches that are decided on, in Electron's order; Electron 45 has these nine. */
export const FUSES: readonly boolean[] = Object.values({
  RunAsNode: false,
  EnableCookieEncryption: true,
  EnableNodeOptionsEnvironmentVariable: false,
  EnableNodeCliInspectArguments: false,
  EnableEmbeddedAsarIntegrityValidation: true,
  OnlyLoadAppFromAsar: true,
  LoadBrowserProcessSpecificV8Snapshot: false,
  GrantFileProtocolExtraPrivileges: false,
  WasmTrapHandlers: true,
});

/** A folder that looks like Electron's distribution to the packager. Its program does nothing, but its fuses can be set and read. */
export function makeStandInDistribution(folder: string): string {
  const program = join(folder, 'electron');
  for (const name of ['locales', 'resources']) mkdirSync(join(folder, name), { recursive: true });
  cpSync('/bin/true', program, { dereference: true });
  writeFileSync(
    program,
    Buffer.concat([
      readFileSync(program),
      Buffer.from(SENTINEL),
      Buffer.from([1, FUSES.length]),
      Buffer.from('1'.repeat(FUSES.length)),
    ]),
    { mode: 0o755 },
  );
  cpSync('/bin/true', join(folder, 'chrome-sandbox'), { dereference: true });
  writeFileSync(join(folder, 'version'), '45.3.4');
  writeFileSync(join(folder, 'icudtl.dat'), '');
  writeFileSync(join(folder, 'locales/en-US.pak'), '');
  return folder;
}

/** The switches of a program as they stand in its file, in Electron's order: true is on. */
export function readFuses(program: string): boolean[] {
  const bytes = readFileSync(program);
  const at = bytes.indexOf(SENTINEL);
  if (at < 0) throw new Error(`${program} has no fuses`);
  const [version, count = 0] = bytes.subarray(at + SENTINEL.length, at + SENTINEL.length + 2);
  if (version !== 1) throw new Error(`the fuses of ${program} are of version ${version}`);
  return [
    ...bytes.subarray(at + SENTINEL.length + 2, at + SENTINEL.length + 2 + count).toString('latin1'),
  ].map((state) => state === '1');
}

export type Packed = { status: number; output: string; folder: string };

/** Packs the built application as a folder for Linux, with no network and into `output`. */
export function packApplication(distribution: string, output: string, more: readonly string[] = []): Packed {
  const done = spawnSync(
    process.execPath,
    [
      join(root, 'node_modules/electron-builder/out/cli/cli.js'),
      '--linux',
      'dir',
      '--publish',
      'never',
      '--config',
      join(root, 'resources/packaging/electron-builder.yml'),
      `-c.electronDist=${distribution}`,
      '-c.electronVersion=45.3.4',
      `-c.directories.output=${output}`,
      ...more,
    ],
    {
      cwd: root,
      encoding: 'utf8',
      timeout: 300_000,
      // Under a test runner the packager would say nothing, not even why it failed.
      env: { ...process.env, NODE_OPTIONS: '', VITEST: '', NODE_ENV: 'production' },
    },
  );
  return {
    status: done.status ?? 1,
    output: `${done.stdout}${done.stderr}`,
    folder: join(output, 'linux-unpacked'),
  };
}
