import { execFileSync } from 'node:child_process';
import { closeSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { root, rowsOfKind, scratch } from './support.ts';

vi.setConfig({ testTimeout: 600_000 });
const place = scratch();
afterAll(place.remove);
const MEBIBYTE = 1 << 20;

/** A file of a beginning and then zeros up to half a gigabyte, which take no room on the disk. */
function halfGigabyte(name: string, begin: string): string {
  const path = join(place.folder, name);
  const file = openSync(path, 'w');
  writeSync(file, begin + 'x'.repeat(70_000));
  ftruncateSync(file, 1 << 29);
  closeSync(file);
  return path;
}

function large(name: string, pieces: Iterable<string>): string {
  const path = join(place.folder, name);
  const file = openSync(path, 'w');
  for (const piece of pieces) writeSync(file, piece);
  closeSync(file);
  return path;
}

/** Imports in a process of its own and tells what came of it and by how much its memory grew, in MiB. */
function imported(path: string): { outcome: string; grew: number } {
  const program = `
    import { datasets } from ${JSON.stringify(join(root, 'electron/evaluation/index.ts'))};
    globalThis.gc();
    const before = process.memoryUsage().rss;
    let most = before;
    const watch = setInterval(() => { most = Math.max(most, process.memoryUsage().rss); }, 20);
    let outcome;
    try {
      const opened = await datasets.openPath(${JSON.stringify(path)});
      const { sets, ignored } = await datasets.findSets(opened);
      if (sets.length === 0) throw new Error(datasets.nothingFound('it', ignored));
      const written = await datasets.writeSet(sets[0], ${JSON.stringify(join(place.folder, 'out'))}, { known: null, onBytes: () => { most = Math.max(most, process.memoryUsage().rss); } });
      outcome = String(written.rows);
    } catch (error) { outcome = error.message; }
    clearInterval(watch);
    console.log(JSON.stringify({ outcome, grew: (most - before) / ${MEBIBYTE} }));
  `;
  // A small young generation: what is garbage already is not what is measured.
  return JSON.parse(
    execFileSync(
      process.execPath,
      ['--expose-gc', '--max-semi-space-size=8', '--input-type=module', '-e', program],
      { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
    ),
  ) as { outcome: string; grew: number };
}

/** Rows are held back up to 4 MiB; the rest is up to 64 MiB of freed buffers that wait for their collection, whatever the size of the file. */
const MOST_GROWN = 128;

describe('memory', () => {
  it.each<[string, string, string, string]>([
    ['a line', 'line.jsonl', '', 'first row is refused: it is longer than 4 MiB'],
    [
      'a row of a known kind',
      'math500.jsonl',
      `${JSON.stringify(rowsOfKind.math500(1))}\n{"problem": "`,
      'Row 2 of math500.jsonl is refused: it is longer than 4 MiB',
    ],
    [
      'a cell',
      'harmbench.csv',
      'Behavior,FunctionalCategory,SemanticCategory,Tags,ContextString,BehaviorID\nx,standard,harmless,,,a\n"',
      'Row 3 of harmbench.csv is refused: it is longer than 4 MiB',
    ],
    [
      'an entry of a list',
      'mcq.json',
      `[${JSON.stringify(rowsOfKind.salad(1))}, "`,
      'Row 2 of mcq.json is refused: it is longer than 4 MiB',
    ],
  ])('of an import does not grow with %s of half a gigabyte, which is refused', (_what, name, begin, why) => {
    const { outcome, grew } = imported(halfGigabyte(name, begin));
    expect(outcome).toMatch(new RegExp(why));
    expect(grew).toBeLessThan(MOST_GROWN);
  });

  it('of an import of 300 MB stays far below its size', { tags: ['full'] }, () => {
    function* pieces(): Generator<string> {
      const tests = 'A'.repeat(3 * MEBIBYTE);
      for (let index = 0; index < 100; index += 1)
        yield `${JSON.stringify({ ...rowsOfKind.livecodebench(`p${index}`), private_test_cases: `eJ${tests}` })}\n`;
    }
    const { outcome, grew } = imported(large('test.jsonl', pieces()));
    expect(outcome).toBe('100');
    expect(grew).toBeLessThan(220);
  });
});
