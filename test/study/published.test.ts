import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { studySvg, isFull, resultsOf } from '../../electron/experiments/study/results.ts';
import { readOptions } from './options.ts';
import type { StudyResults } from '../../electron/experiments/study/statistics.ts';
import { boundSettings, StudyState } from '../../electron/experiments/study/state.ts';
import { markersOf, studyMarkdown } from '../../electron/experiments/study/table.ts';

const root = join(import.meta.dirname, '../..');
const page = readFileSync(join(root, 'docs/results.md'), 'utf8');

function published(folder: string, args: readonly string[]): StudyResults {
  const options = readOptions(args, root);
  if (options === 'help') throw new Error('no options ask for no help');
  const kept = join(import.meta.dirname, folder);
  return resultsOf(new StudyState(join(kept, 'evaluations.jsonl')), options, boundSettings(kept));
}

function shown(results: StudyResults): string {
  const [begin, end] = markersOf(results);
  return page.slice(page.indexOf(begin), page.indexOf(end) + end.length);
}

describe('docs/results.md', () => {
  it('shows, like the figure, what the published evaluations say', () => {
    const results = published('results', []);
    expect(isFull(results)).toBe(true);
    expect(shown(results)).toBe(studyMarkdown(results));
    expect(readFileSync(join(root, 'docs/pictures/study.svg'), 'utf8').trim()).toBe(studySvg(results).trim());
  });

  it.each([
    [
      'self-play with tracing fixed',
      'results-traced',
      '--only traced --rewarded-share 0 --steps 200 --every 50 --items 300',
      5,
    ],
    [
      'practice with tracing fixed',
      'results-practice',
      '--only practice --rewarded-share 0 --seeds 6 --steps 120 --every 40 --items 500',
      6,
    ],
    [
      'a context worded by the model',
      'results-worded',
      '--only alone,supervised,worded --rewarded-share 0.25 --every 40',
      15,
    ],
    [
      'R-Zero',
      'results-rzero',
      '--framework rzero --only alone,supervised,filler,shared --steps 39 --every 13',
      40,
    ],
  ])('shows what the published runs of %s say', (_, folder, args, runs) => {
    const results = published(folder, args.split(' '));
    expect(results.runs).toHaveLength(runs);
    expect(shown(results)).toBe(studyMarkdown(results));
    expect(page).toContain(`npm run study -- ${args}`);
  });
});
