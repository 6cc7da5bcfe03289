import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { extendExport, writeExport, writeWholeFile } from '../../../electron/library/index.ts';

const scratch = mkdtempSync(join(tmpdir(), 'anchor-whole-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
let folders = 0;
const folder = (): string => join(scratch, `${folders++}`, 'below');

describe('a file that is written whole', () => {
  it.each<[string, Parameters<typeof writeWholeFile>[1]]>([
    ['text', 'é\n'],
    ['bytes', Buffer.from('é\n')],
    ['pieces', ['é', '\n']],
  ])('holds %s, and nothing lies beside it', (_, content) => {
    const place = folder();
    writeWholeFile(join(place, 'a'), content);
    expect([readFileSync(join(place, 'a'), 'utf8'), readdirSync(place)]).toEqual(['é\n', ['a']]);
  });

  it('stays as it was when the writing ends in the middle', () => {
    const place = folder();
    writeWholeFile(join(place, 'a'), 'before');
    function* failing(): Generator<string> {
      yield 'after';
      expect(readFileSync(join(place, 'a.partial'), 'utf8')).toBe('after');
      throw new Error('no more');
    }
    expect(() => writeWholeFile(join(place, 'a'), failing())).toThrow('no more');
    expect([readFileSync(join(place, 'a'), 'utf8'), readdirSync(place)]).toEqual(['before', ['a']]);
  });

  it('takes the place of the half that a program left that was killed', () => {
    const place = folder();
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'a.partial'), 'half of something longer', { mode: 0o644 });
    writeWholeFile(join(place, 'a'), 'whole', { mode: 0o600 });
    expect([
      readFileSync(join(place, 'a'), 'utf8'),
      readdirSync(place),
      statSync(join(place, 'a')).mode & 0o777,
    ]).toEqual(['whole', ['a'], 0o600]);
  });

  it("is its owner's alone when it is asked to be", () => {
    const path = join(folder(), 'a');
    writeWholeFile(path, 'secret', { mode: 0o600 });
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });
});

describe('an export', () => {
  it('that cannot be written says which file, and what to do', () => {
    const place = folder();
    mkdirSync(join(place, 'a'), { recursive: true });
    expect(() => writeExport(join(place, 'a'), ['x'])).toThrow(
      /^The export .*a could not be written: EISDIR.* the database is unaffected\.$/,
    );
    expect(() => extendExport(join(place, 'a'), 'x')).toThrow(
      /^The export .*a could not be extended: EISDIR/,
    );
    expect(existsSync(join(place, 'a.partial'))).toBe(false);
  });
});
