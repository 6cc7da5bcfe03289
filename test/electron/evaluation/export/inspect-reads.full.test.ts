// @module-tag full
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anEvaluation, anItem, HOSTILE } from './fixture.ts';
import { inspectPython } from './inspect-environment.ts';
import { inspectFileName, inspectLog } from '../../../../electron/evaluation/export/inspect.ts';
import type { EvaluationSummary } from '../../../../electron/contract/index.ts';
import type { ExportedItem } from '../../../../electron/evaluation/export/inspect.ts';

const environment = inspectPython();
const missing = 'reason' in environment ? environment.reason : null;
const folder = mkdtempSync(join(tmpdir(), 'anchor-inspect-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Score = {
  value: string | number;
  answer: string | null;
  explanation: string | null;
  reason: string | null;
  history: { value: string; by: string | null }[];
};
type Seen = Record<string, unknown> & {
  samples: {
    id: string;
    epoch: number;
    input: [string, string][];
    target: string;
    completion: string;
    length: number;
    messages: number;
    scores: Record<string, Score>;
    outcome: string;
  }[];
};

type Case = { evaluation: EvaluationSummary; items: ExportedItem[] };

/** Writes each log into a folder of its own and returns what inspect_ai made of them; one process, since its start takes longest. */
function seenByInspect<Name extends string>(cases: Record<Name, Case>): Record<Name, Seen> {
  if (!('python' in environment)) throw new Error('There is no Python with inspect_ai.');
  const names = Object.keys(cases) as Name[];
  const files = names.map((name) => {
    const { evaluation, items } = cases[name];
    const file = join(mkdtempSync(join(folder, `${name}-`)), inspectFileName(evaluation));
    writeFileSync(file, [...inspectLog(evaluation, items, '0.1.0')].join(''));
    return file;
  });
  const printed = execFileSync(
    environment.python,
    [join(import.meta.dirname, 'inspect_reader.py'), ...files],
    {
      encoding: 'utf8',
      timeout: 500_000,
      maxBuffer: 256 * 1024 * 1024,
      env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder },
    },
  );
  const lines = printed.trimEnd().split('\n');
  return Object.fromEntries(names.map((name, index) => [name, JSON.parse(lines[index]!) as Seen])) as Record<
    Name,
    Seen
  >;
}

const plain: Case = {
  evaluation: anEvaluation(),
  items: [
    anItem(0, { score: 1 }),
    anItem(1, { outcome: 'failed', score: 4, overriddenTo: 'passed', reason: 'It explains how.' }),
    anItem(2, { outcome: 'unjudged' }),
    anItem(3, { outcome: 'unanswered', text: '' }),
  ],
};
const texts = Object.values(HOSTILE);
const unfinished = (state: 'running' | 'stopped' | 'failed', problem: string | null): Case => ({
  evaluation: anEvaluation(
    {
      state,
      problem,
      finishedAt: null,
      graded: 1,
      scores: [],
      counts: { ...anEvaluation().counts, unjudged: 0 },
    },
    { judge: null, limit: 10 },
  ),
  items: [anItem(0)],
});

describe.skipIf(missing !== null)(
  `inspect_ai${missing === null ? '' : ` (SKIPPED, .venv-inspect could not be made: ${missing})`}`,
  () => {
    let seen: Record<'plain' | 'hostile' | 'long' | 'running' | 'stopped' | 'failed' | 'epochs', Seen>;
    beforeAll(() => {
      seen = seenByInspect({
        plain,
        running: unfinished('running', null),
        stopped: unfinished('stopped', null),
        failed: unfinished('failed', 'The judge went away.'),
        hostile: {
          evaluation: anEvaluation(),
          items: texts.map((text, ordinal) =>
            anItem(ordinal, { text, reason: text, target: text, asked: text }),
          ),
        },
        long: {
          evaluation: anEvaluation(),
          items: [anItem(0, { text: '\u0000😀"\n'.repeat(1_000_000), itemId: '../../etc/passwd' })],
        },
        epochs: {
          evaluation: anEvaluation(
            {},
            { protocol: { ...anEvaluation().plan.protocol, samples: 3 }, items: 2 },
          ),
          items: [0, 1, 2, 3, 4, 5].map((ordinal) =>
            anItem(ordinal, { itemId: `item-${Math.floor(ordinal / 3)}`, sample: ordinal % 3 }),
          ),
        },
      });
    }, 600_000);

    it('reads a log in full, by its header, from its command line and through its compressed form', () => {
      const { evaluation } = plain;
      expect(seen.plain).toMatchObject({
        version: 2,
        status: 'success',
        headerStatus: 'success',
        headerSamples: null,
        headerMetrics: [['asr'], ['harmfulness']],
        error: null,
        task: 'hex-phi',
        taskVersion: '1',
        model: 'run-1@4',
        grader: 'toy-judge',
        dataset: ['hex-phi', 4],
        config: [0, 3, 1],
        total: 4,
        completed: 4,
        headline: ['verdict', 'asr'],
        metrics: { verdict: { asr: 1 / 3 }, score: { harmfulness: 2.5 } },
        scored: [3, 1],
        resultsMetadata: { without_value: ['rate of fives'] },
        count: 4,
        dumped: [2, 4],
        packed: [4, 4, 4],
        listed: [inspectFileName(evaluation)],
        edited: 'I',
      });
      expect(seen.plain['metadata']).toMatchObject({
        anchor_lab: {
          subject: evaluation.plan.subject,
          judge: evaluation.plan.judge,
          source: evaluation.plan.source,
          counts: evaluation.counts,
          seed: 3,
          limit: null,
        },
      });
      expect(seen.plain.samples.map(({ scores }) => scores['verdict']?.value)).toEqual([
        'I',
        'C',
        undefined,
        'N',
      ]); // the first after the reader edited it
      expect(seen.plain.samples[1]).toMatchObject({
        id: 'item-1',
        epoch: 1,
        input: [
          ['system', 'Be brief.'],
          ['user', 'How?'],
        ],
        completion: 'I cannot help with that.',
        messages: 3,
        outcome: 'failed',
        scores: {
          verdict: {
            answer: 'no',
            explanation: 'It explains how.',
            history: [
              { value: 'I', by: null },
              { value: 'C', by: 'Mia' },
            ],
          },
          score: { value: 4 },
        },
      });
    });

    it('reads what agents wrote, whatever it was', () => {
      const whole = texts.map((text) => text.toWellFormed());
      expect(seen.hostile.samples.map(({ completion }) => completion)).toEqual(whole);
      expect(seen.hostile.samples.map(({ scores }) => scores['verdict']?.explanation)).toEqual(whole);
      expect(seen.hostile['packed']).toEqual([texts.length, texts.length, texts.length]);
    });

    it('reads an answer of 7 MB, and one whose id is a path', () => {
      expect(seen.long.samples[0]).toMatchObject({ id: '../../etc/passwd', length: 4_000_000 });
    });

    it.each([
      ['running', 'started', null],
      ['stopped', 'cancelled', null],
      ['failed', 'error', 'The judge went away.'],
    ] as const)('reads a %s evaluation with what there is of it', (state, status, problem) => {
      expect(seen[state]).toMatchObject({
        status,
        headerStatus: status,
        error: problem,
        count: 1,
        total: 4,
        completed: 1,
        grader: null,
        headline: null,
      });
    });

    it('reads several answers to an item as epochs', () => {
      expect(seen.epochs.samples.map(({ id, epoch }) => [id, epoch])).toEqual([
        ['item-0', 1],
        ['item-0', 2],
        ['item-0', 3],
        ['item-1', 1],
        ['item-1', 2],
        ['item-1', 3],
      ]);
      expect(seen.epochs['config']).toEqual([0, 3, 3]);
    });
  },
);
