import { describe, expect, it } from 'vitest';
import { configFromYaml } from '../../../electron/plan/config-text.ts';

const SHORT = 20_000;
const TIMES = 4;
/** Reading in proportion takes TIMES as long; a square would take TIMES² as long. */
const MOST = 2 * TIMES;

const numbered = (of: (number: string) => string, characters: number): string => {
  let text = '';
  for (let number = 0; text.length < characters; number += 1) text += of(number.toString(36));
  return text;
};

/** Processor time of this thread in milliseconds, the shorter of two readings; every one of these texts is refused. */
function cost(text: string): number {
  const readings = [1, 2].map(() => {
    const before = process.threadCpuUsage();
    expect(() => configFromYaml(text)).toThrow(/not valid YAML|things to correct/);
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.min(...readings);
}

describe('a configuration of many', () => {
  it.each<[string, (characters: number) => string]>([
    ['keys', (characters) => numbered((key) => `${key}:\n`, characters)],
    ['quotes', (characters) => '"'.repeat(characters)],
    ['brackets', (characters) => '[]'.repeat(characters / 2)],
    ['commas', (characters) => `[${','.repeat(characters)}]`],
  ])('%s takes time in proportion to its length', (_, text) => {
    cost(text(SHORT)); // compiles what reads
    expect(cost(text(TIMES * SHORT)) / cost(text(SHORT))).toBeLessThan(MOST);
  });

  it('keys of which two are one is refused where the second stands', () => {
    expect(() => configFromYaml('steps: 3\nsupervision:\n  p: 1\n  q: 2\n  p: 3\n')).toThrow(
      'Map keys must be unique at line 5, column 3.',
    );
    expect(() => configFromYaml('"steps": 3\nsteps: 4\n')).toThrow('at line 2, column 1.');
  });
});
