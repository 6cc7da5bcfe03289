import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { studySvg } from './figure.ts';
import { readOptions } from './options.ts';
import { isFull, resultsOf } from './results.ts';
import { boundSettings, StudyState } from './state.ts';
import { MARKERS, studyMarkdown } from './table.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(import.meta.dirname, 'results');

it('the README and the figure show what the published evaluations say', () => {
  const options = readOptions([], root);
  if (options === 'help') throw new Error('no options ask for no help');
  const results = resultsOf(new StudyState(join(folder, 'evaluations.jsonl')), options, boundSettings(folder));
  expect(isFull(results)).toBe(true);
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  expect(readme.slice(readme.indexOf(MARKERS[0]), readme.indexOf(MARKERS[1]) + MARKERS[1].length)).toBe(studyMarkdown(results));
  expect(readFileSync(join(root, 'resources/pictures/study.svg'), 'utf8').trim()).toBe(studySvg(results).trim());
});
