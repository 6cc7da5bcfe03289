import type * as Files from 'node:fs';
import { expect, it, vi } from 'vitest';
import type { CheckpointRecord } from '../../../electron/contract/index.ts';
import { dropCheckpoints } from '../../../electron/machine/index.ts';
import { droppableCheckpoints } from '../../../electron/machine/storage.ts';

vi.mock('node:fs', async (original) => ({
  ...(await original<typeof Files>()),
  rmSync: (path: string) => {
    throw Object.assign(new Error(`EIO: i/o error, rm '${path}'`), { code: 'EIO', path });
  },
}));

it('A checkpoint that the disk does not let go is told in one sentence, after the database knows that it went', () => {
  const pruned: number[] = [];
  const services = {
    store: {
      requireAllSteps: () => {},
      requireRun: () => ({ config: { name: 'tiny' }, folder: 'runs/tiny' }),
      listCheckpoints: () =>
        [0, 1, 2].map((step) => ({ step, files: [{ path: 'optimizer.safetensors' }] }) as CheckpointRecord),
      listStagedSteps: () => [],
      eventsOfKind: () => [],
      markCheckpointPruned: (_: string, step: number) => pruned.push(step),
    },
    lab: { run: () => ({ checkpoint: (step: number) => `/lab/step-${step}` }) },
    isActive: () => false,
    emit: () => {},
  };
  expect(() => dropCheckpoints(services as never, 'run-1')).toThrow(
    'The checkpoints of run "tiny" could not be written (/lab/step-1): the disk failed. Check the disk and try again.',
  );
  expect(pruned).toEqual([1]);
});

it('The newest checkpoint of each weight set stays, though another set was trained since', () => {
  const kept = [
    ['challenger', 0],
    ['solver', 0],
    ['challenger', 1],
    ['challenger', 2],
    ['solver', 3],
    ['solver', 4],
  ].map(([role, step]) => ({ role, step, files: [{ path: 'optimizer.safetensors' }] }));
  const store = { listCheckpoints: () => kept, listStagedSteps: () => [], eventsOfKind: () => [] };
  expect(droppableCheckpoints({ store } as never, 'run-1').map(({ step }) => step)).toEqual([1, 3]);
});
