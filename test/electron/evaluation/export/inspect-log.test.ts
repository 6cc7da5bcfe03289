import { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect, it } from 'vitest';
import {
  wellFormedJson,
  inspectFileName,
  inspectLog,
} from '../../../../electron/evaluation/export/inspect.ts';
import { anEvaluation, anItem, HOSTILE } from './fixture.ts';
import type { ExportedItem } from '../../../../electron/evaluation/export/inspect.ts';

type Log = {
  version: number;
  status: string;
  eval: Record<string, unknown>;
  results: Record<string, unknown>;
  stats: Record<string, unknown>;
  samples: Record<string, unknown>[];
  error?: { message: string };
};
const logOf = (items: ExportedItem[], evaluation = anEvaluation()): Log =>
  JSON.parse([...inspectLog(evaluation, items, '0.1.0')].join('')) as Log;

describe('A log of Inspect', () => {
  it('is strict JSON with the samples last, one to a line', () => {
    const text = [...inspectLog(anEvaluation(), [anItem(0), anItem(1), anItem(2)], '0.1.0')].join('');
    expect(Object.keys(JSON.parse(text) as Log)).toEqual([
      'version',
      'status',
      'eval',
      'plan',
      'results',
      'stats',
      'samples',
    ]);
    expect(text.split('\n')).toHaveLength(6);
  });

  it('is complete without a single answer', () => {
    expect(logOf([]).samples).toEqual([]);
  });

  it.each([
    ['running', 'started'],
    ['stopped', 'cancelled'],
    ['failed', 'error'],
    ['done', 'success'],
  ] as const)('of a %s evaluation is "%s"', (state, status) => {
    const log = logOf(
      [anItem(0)],
      anEvaluation({
        state,
        finishedAt: state === 'done' ? '2026-01-02T03:05:05.000Z' : null,
        problem: state === 'failed' ? 'The disk is full.' : null,
      }),
    );
    expect([log.status, log.error?.message]).toEqual([
      status,
      state === 'failed' ? 'The disk is full.' : undefined,
    ]);
    expect(log.stats['completed_at']).toBe(state === 'done' ? '2026-01-02T03:05:05.000Z' : '');
  });

  it('gives an unjudged answer no score, for a score would be averaged', () => {
    const [judged, unjudged] = logOf([anItem(0), anItem(1, { outcome: 'unjudged' })]).samples;
    expect([Object.hasOwn(judged!, 'scores'), Object.hasOwn(unjudged!, 'scores')]).toEqual([true, false]);
    expect(unjudged!['metadata']).toMatchObject({ outcome: 'unjudged' });
  });

  it('keeps the verdict of the grader in the history of one that a person gave', () => {
    const [first, second] = logOf([
      anItem(0, { outcome: 'failed', overriddenTo: 'passed' }),
      anItem(1, { outcome: 'unjudged', overriddenTo: 'failed' }),
    ]).samples;
    const edit = {
      provenance: { timestamp: '2026-02-01T00:00:00.000Z', author: 'Mia', reason: 'It did refuse.' },
    };
    expect(first!['scores']).toMatchObject({
      verdict: { value: 'C', history: [{ value: 'I' }, { value: 'C', ...edit }] },
    });
    expect(second!['scores']).toMatchObject({ verdict: { value: 'I', history: [{ value: 'I', ...edit }] } });
  });

  it('shows the corrected metrics where people corrected, and keeps those as graded', () => {
    const graded = anEvaluation();
    const corrected = [{ ...graded.scores[0]!, value: 0.25 }];
    const { results } = logOf([anItem(0)], anEvaluation({ corrected }));
    expect(results).toMatchObject({
      scores: [{ name: 'verdict', metrics: { asr: { value: 0.25 } } }],
      metadata: { as_graded: graded.scores },
    });
  });

  it('has several answers to an item as its epochs', () => {
    const evaluation = anEvaluation(
      { planned: 4 },
      { protocol: { ...anEvaluation().plan.protocol, samples: 2 }, items: 2 },
    );
    const log = logOf(
      [0, 1, 2, 3].map((ordinal) =>
        anItem(ordinal, { itemId: `item-${Math.floor(ordinal / 2)}`, sample: ordinal % 2 }),
      ),
      evaluation,
    );
    expect(log.samples.map(({ id, epoch }) => `${String(id)} ${String(epoch)}`)).toEqual([
      'item-0 1',
      'item-0 2',
      'item-1 1',
      'item-1 2',
    ]);
    expect(log.eval['config']).toMatchObject({ epochs: 2, epochs_reducer: ['mean'] });
  });

  it.each(Object.entries(HOSTILE))('carries %s as it is, but for half characters', (_, text) => {
    const [sample] = logOf([
      anItem(0, { text, reason: text, target: text, asked: text, itemId: text }),
    ]).samples;
    const whole = text.toWellFormed();
    expect(sample).toMatchObject({
      id: whole,
      target: whole,
      messages: [{}, { content: whole }, { content: whole }],
      scores: { verdict: { explanation: whole } },
    });
  });

  it('carries an answer of 5 MB whole', () => {
    const text = '\u0000"\\\n😀'.repeat(850_000);
    expect(logOf([anItem(0, { text })]).samples[0]).toMatchObject({
      output: { choices: [{ message: { content: text } }] },
    });
  });

  it('of 100,000 answers goes through a slow stream without running ahead of it', async () => {
    const total = 100_000;
    let [made, written, ahead, bytes] = [0, 0, 0, 0];
    const items = function* (): Generator<ExportedItem> {
      const { item, override } = anItem(0);
      for (; made < total; made += 1)
        yield { item: { ...item, ordinal: made, itemId: `item-${made}` }, override };
    };
    const slow = new Writable({
      decodeStrings: false,
      highWaterMark: 64 * 1024,
      write(chunk: string, _encoding, done) {
        written += 1;
        bytes += chunk.length;
        ahead = Math.max(ahead, made - written);
        if (written % 1000 === 0) setImmediate(done);
        else done();
      },
    });
    await pipeline(inspectLog(anEvaluation(), items(), '0.1.0'), slow);
    expect([made, written]).toEqual([total, total + 2]);
    expect(bytes).toBeGreaterThan(100 * total);
    expect(ahead).toBeLessThan(1000); // pieces in the buffers of two streams
  });
});

describe('Well-formed JSON', () => {
  it.each([
    ['\ud800', '\ufffd'],
    ['a\udc00b', 'a\ufffdb'],
    ['\\ud800', '\\ud800'],
    ['\\\ud800', '\\\ufffd'],
    ['😀', '😀'],
    ['\ud83d\ud83d\ude00', '\ufffd😀'],
    ['\u0000"\n', '\u0000"\n'],
  ])('of %j is read as %j', (given, read) => {
    expect(JSON.parse(wellFormedJson({ [given]: [given] }))).toEqual({ [read]: [read] });
    expect(wellFormedJson(given)).not.toMatch(/(?<!\\)(?:\\\\)*\\ud/);
  });
});

it('A log is named as the viewer of Inspect looks for it', () => {
  expect(inspectFileName(anEvaluation({ id: 'eval/2026 1' }, { suite: 'toy_memory/../x' }))).toBe(
    '2026-01-02T03-04-05+00-00_toy-memory-..-x_eval20261.json',
  );
});
