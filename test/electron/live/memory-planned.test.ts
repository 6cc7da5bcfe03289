import { expect, it } from 'vitest';
import { memoryPlanned } from '../../../electron/live/index.ts';

it('the newest plan of each role counts, and what earlier versions wrote without bytes is read', () => {
  const told = [
    { role: 'policy', asked: 32, rows: 12, gradCheckpoint: true },
    { role: 'solver', asked: 32, rows: 32, gradCheckpoint: false, plannedBytes: { update: 2e9 } },
    {
      role: 'policy',
      asked: 32,
      rows: 16,
      gradCheckpoint: false,
      offloads: true,
      plannedBytes: { update: 1e9 },
    },
  ];
  const store = {
    eventsOfKind: (runId: string, kind: string) =>
      runId === 'a' && kind === 'trainer.memory' ? told.map((body) => ({ body })) : [],
  };
  expect(memoryPlanned(store as never, 'a')).toEqual([told[2], told[1]]);
  expect(memoryPlanned({ eventsOfKind: () => [{ body: told[0] }] } as never, 'b')).toEqual([told[0]]);
  expect(memoryPlanned(store as never, 'c')).toEqual([]);
});
