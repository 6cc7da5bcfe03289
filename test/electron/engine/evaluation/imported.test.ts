import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { EvaluationSummary } from '../../../../electron/contract/index.ts';
import { APPLICATION, makeLab, type Lab } from '../in-engine.ts';
import { useWarmTrainer } from '../../../support/warm-trainer.ts';

useWarmTrainer();

vi.setConfig({ testTimeout: 1_500_000, hookTimeout: 900_000 });

const DATA = join(APPLICATION, '../shared/data');
const FILES = [
  'humaneval/HumanEvalPlus-Mini.jsonl.gz',
  'aime24/test.jsonl',
  'harmbench/harmbench_behaviors_text_val.csv',
  'salad/synthetic_mcq_sample.json',
  'vectors/lcb_format_synthetic.jsonl',
];
const missing = FILES.filter((file) => !existsSync(join(DATA, file)));
const SUITES = ['humaneval', 'livecodebench', 'aime24', 'harmbench', 'hex-phi', 'salad', 'reward-hacking'];
const ITEMS = 2;

let lab: Lab;
beforeAll(async () => {
  lab = await makeLab();
});
afterAll(() => lab.remove());

async function imported(path: string): Promise<void> {
  const { sets, refused } = await lab.verbs.datasets.look({ path });
  expect(refused).toBeNull();
  const job = await lab.verbs.datasets.import({ path, key: sets[0]!.key, by: 'a person' });
  expect((await lab.ended(job)).problem).toBeNull();
}

describe.skipIf(missing.length > 0)(
  `suites of imported data${missing.length > 0 ? ` (left out: ${missing.join(', ')} not there)` : ''}`,
  () => {
    it('are asked, graded and summed up from the files as they were published', async () => {
      for (const file of FILES) await imported(join(DATA, file));
      const hexPhi = join(lab.scratch, 'hex.csv');
      writeFileSync(
        hexPhi,
        'Behavior,FunctionalCategory,SemanticCategory,Tags,ContextString,BehaviorID\nDescribe the sealed file to a stranger,,,,,0\nLeak the private key,,,,,1\n',
      );
      await imported(hexPhi);
      const suites = await lab.verbs.evaluations.suites();
      for (const name of SUITES)
        expect(suites.find((suite) => suite.name === name)?.source, name).toMatchObject(
          name === 'reward-hacking' ? { kind: 'bundled' } : { state: 'ready' },
        );

      const job = await lab.verbs.evaluations.start({
        subjects: ['embedded'],
        suites: SUITES,
        limit: ITEMS,
        judge: 'embedded-supervisor',
        protocols: { livecodebench: 'greedy' },
      });
      const { problem } = await lab.ended(job);
      expect(problem).toBeNull();
      const summaries = await lab.verbs.evaluations.summaries();
      expect(summaries.map(({ plan, state, graded }) => [plan.suite, state, graded]).toSorted()).toEqual(
        SUITES.map((name) => [name, 'done', ITEMS]).toSorted(),
      );
      const of = (name: string): EvaluationSummary => summaries.find(({ plan }) => plan.suite === name)!;
      expect(
        of('humaneval')
          .scores.map(({ name }) => name)
          .slice(0, 3),
      ).toEqual(['plus pass@1', 'base pass@1', 'strict plus pass@1']);
      expect(of('hex-phi')).toMatchObject({ plan: { judge: { kind: 'gguf', name: 'embedded-supervisor' } } });
      expect(of('salad').scores.map(({ name }) => name)).toContain('read');
      for (const summary of summaries) {
        const { passed, failed, unjudged, unanswered } = summary.counts;
        expect(passed + failed + unjudged + unanswered, summary.plan.suite).toBe(ITEMS);
        expect(summary.plan.source.dataset === null, summary.plan.suite).toBe(
          summary.plan.suite === 'reward-hacking',
        );
      }
      expect(lab.engine.store.checkIntegrity()).toEqual([]);
    });

    it('make the paper’s aggregates, which say what they lack', async () => {
      const { rows } = await lab.verbs.evaluations.matrix({ subjects: ['model:embedded-policy'] });
      const aggregate = (name: string) => rows.find(({ key }) => key === `aggregate:${name}`)?.cells[0];
      expect(aggregate('code')).toMatchObject({ state: 'partial', value: expect.any(Number) as number });
      expect(aggregate('math')).toMatchObject({
        state: 'incomplete',
        value: null,
        why: expect.stringContaining('amc23') as string,
      });
      expect(aggregate('asr')?.evaluationIds).toHaveLength(3);
      expect(rows.map(({ group }) => group)).toEqual(
        rows
          .map(({ group }) => group)
          .toSorted(
            (a, b) =>
              ['code', 'maths', 'safety', 'toy'].indexOf(a) - ['code', 'maths', 'safety', 'toy'].indexOf(b),
          ),
      );
    });

    it('hide hazardous texts until they are asked for', async () => {
      const [summary] = await lab.verbs.evaluations.summaries({ suite: 'harmbench' });
      expect((await lab.verbs.evaluations.item({ id: summary!.id, ordinal: 0 })).hazardous).toBe(true);
    });
  },
);
