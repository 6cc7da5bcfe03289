import { expect, it } from 'vitest';
import { limited } from '../../../electron/plan/probe.ts';
import type { Reviewer } from '../../../electron/supervision/index.ts';

it('The reviewer of a timed step counts its time as that of a run, and is asked three times a phase', async () => {
  const asked: unknown[] = [];
  const reviewer = {
    kind: 'llama',
    model: 'a judge',
    concurrency: 8,
    gateSeed: 5,
    countsUsefulTime: true,
    review: async (subject: { item: { phase: string } }, _: AbortSignal, onShared?: (ms: number) => void) => {
      asked.push(subject.item.phase);
      onShared?.(7);
      return { answer: null, milliseconds: 1 };
    },
  } as unknown as Reviewer;
  const once = limited(reviewer);
  const { review: _, ...settings } = reviewer;
  expect(once).toMatchObject(settings);
  let shared = 0;
  const results = [];
  for (const phase of ['task', 'task', 'output', 'task', 'task'])
    results.push(
      await once.review({ item: { phase } } as never, new AbortController().signal, (ms) => (shared += ms)),
    );
  expect(asked).toEqual(['task', 'task', 'output', 'task']);
  expect(results.map(({ milliseconds }) => milliseconds)).toEqual([1, 1, 1, 1, 0]);
  expect(shared).toBe(4 * 7);
});
