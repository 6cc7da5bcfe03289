import { describe, expect, it } from 'vitest';
import { Disk } from './disk.ts';
import type { Operation } from './trace.ts';

const FILE = '/lab/file';
const write = (offset: number, text: string): Operation => ({
  kind: 'write',
  path: FILE,
  offset,
  data: Buffer.from(text),
});
const sync = (path: string): Operation => ({ kind: 'sync', path });

/** Contents found over many cuts, with numbers from a fixed sequence. */
function found(operations: Operation[], cuts = 200): Set<string> {
  let state = 1;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const disk = new Disk();
  for (const operation of operations) disk.apply(operation);
  return new Set(
    Array.from({ length: cuts }, () => disk.afterPowerCut(random).get(FILE)?.toString('latin1') ?? 'no file'),
  );
}

describe('a disk after a power cut', () => {
  it('has what was synced, always', () => {
    expect([...found([{ kind: 'create', path: FILE }, write(0, 'abc'), sync(FILE)])]).toEqual(['abc']);
  });

  it('may have lost, kept or reordered what was not', () => {
    const contents = found([
      { kind: 'create', path: FILE },
      write(0, '....'),
      sync(FILE),
      write(0, 'A'),
      write(2, 'B'),
    ]);
    expect([...contents].sort()).toEqual(['....', '..B.', 'A...', 'A.B.']);
  });

  it('may have torn a write at sectors, and never within one', () => {
    const contents = found([
      { kind: 'create', path: FILE },
      write(0, '.'.repeat(1024)),
      sync(FILE),
      write(0, 'A'.repeat(1024)),
    ]);
    expect(contents).toEqual(
      new Set([
        '.'.repeat(1024),
        'A'.repeat(1024),
        'A'.repeat(512) + '.'.repeat(512),
        '.'.repeat(512) + 'A'.repeat(512),
      ]),
    );
  });

  it('may lack a file whose name was never synced, and has it once its folder was', () => {
    expect(found([{ kind: 'create', path: FILE }])).toEqual(new Set(['no file', '']));
    expect(found([{ kind: 'create', path: FILE }, sync('/lab')])).toEqual(new Set(['']));
  });

  it('may still have a file that was deleted since the last sync', () => {
    expect(found([{ kind: 'create', path: FILE }, sync('/lab'), { kind: 'unlink', path: FILE }])).toEqual(
      new Set(['no file', '']),
    );
  });

  it('may be as long as before or after a truncation', () => {
    expect(
      found([
        { kind: 'create', path: FILE },
        write(0, 'abc'),
        sync(FILE),
        { kind: 'truncate', path: FILE, size: 1 },
      ]),
    ).toEqual(new Set(['abc', 'a']));
  });
});
