import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { describe, expect, it } from 'vitest';
import { MUTATED_QUESTIONS, MUTATED_SELF_PLAY } from '../e2e/verify/mutated-rules.ts';
import { MUTANTS } from './chapters/index.ts';
import { CHECKOUT, edited, placeOf } from './edit.ts';
import { nameOf } from './mutant.ts';
import { readOptions } from './options.ts';

const PYTHON = join(CHECKOUT, '.venv/bin/python');
const textOf = (file: string): string => readFileSync(join(CHECKOUT, file), 'utf8');

describe('The mutants', () => {
  it('have each a name of its own and a text that stands in its file exactly once', () => {
    expect(MUTANTS.length).toBeGreaterThanOrEqual(200);
    expect(new Set(MUTANTS.map(nameOf)).size).toBe(MUTANTS.length);
    for (const mutant of MUTANTS) {
      expect(() => placeOf(mutant), nameOf(mutant)).not.toThrow();
      expect(mutant.instead, nameOf(mutant)).not.toBe(mutant.line);
    }
  });

  it('name test files that exist, and no test that would not run', () => {
    for (const test of new Set(MUTANTS.flatMap(({ tests }) => tests)))
      expect([test, existsSync(join(CHECKOUT, test)), /\.full\.|@module-tag full/.test(test)]).toEqual([
        test,
        true,
        false,
      ]);
  });

  it('are programs: what notices one is no fault of its spelling', () => {
    const changed = MUTANTS.map((mutant) => ({ mutant, source: edited(textOf(mutant.file), mutant) }));
    for (const { mutant, source } of changed)
      if (mutant.file.endsWith('.ts'))
        expect(parseSync(mutant.file, source).errors, nameOf(mutant)).toEqual([]);
    const inPython = changed.filter(({ mutant }) => mutant.file.endsWith('.py'));
    const check = 'import ast, json, sys\nfor one in json.load(sys.stdin): ast.parse(one)';
    const { status, stderr } = spawnSync(PYTHON, ['-c', check], {
      input: JSON.stringify(inPython.map(({ source }) => source)),
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe('The mutants whose runs the verifier is held against', () => {
  it('stand in this list, are made without a copy of the sources, and are more than twenty', () => {
    const named = [...MUTATED_SELF_PLAY, ...MUTATED_QUESTIONS].map(({ mutant }) => mutant);
    const possible = MUTANTS.filter(({ file }) => file.endsWith('.ts')).map(nameOf);
    expect(named.filter((each) => !possible.includes(each))).toEqual([]);
    expect(new Set(named).size).toBeGreaterThan(20);
  });
});

describe('The options of npm run mutants', () => {
  it('are read, and a wrong one is refused in one sentence', () => {
    expect(readOptions(['--only', 'gate', '--workers', '3', '--fresh'])).toMatchObject({
      only: 'gate',
      workers: 3,
      fresh: true,
      list: false,
    });
    expect(() => readOptions(['--workers', '0'])).toThrow(
      '--workers takes a whole number from 1 to 999, not "0".',
    );
    expect(() => readOptions(['--wrong'])).toThrow(/Unknown option '--wrong'/);
  });
});
