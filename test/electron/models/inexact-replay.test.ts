import { expect, it } from 'vitest';
import { runConfigSchema } from '../../../electron/contract/index.ts';
import { LocalWeightSet } from '../../../electron/models/local-weights.ts';

/** Loads weights and then loses their process, as on a device that repeats an update to the bit or not. */
async function recovered(replayed: string[], replayedExactly: boolean): Promise<string[]> {
  const told: string[] = [];
  const held: (() => Promise<unknown>)[] = [];
  const process = {
    weights: 'policy',
    client: { load: async () => ({ replayed, replayedExactly }), restoreRollouts: async () => 0 },
    repeatOnLoss: (_: string, action: () => Promise<unknown>) => action(),
    hold: (reload: (() => Promise<unknown>) | null) => reload !== null && held.push(reload),
  };
  const { train } = runConfigSchema.parse({});
  const weights = new LocalWeightSet(
    process as never,
    { train, model: '/model' } as never,
    { kind: 'checkpoint', folder: '/checkpoint', version: 3 },
    (operation, why) => told.push(`${operation}: ${why}`),
  );
  await weights.load();
  await held[0]?.();
  return told;
}

it('a run whose lost update was applied again with other last digits is told so', async () => {
  expect(await recovered(['s3/update'], false)).toEqual([
    'replay s3/update: on this device an update that is applied again differs in its last digits, so what follows cannot be repeated to the bit',
  ]);
  expect(await recovered(['s3/update'], true)).toEqual([]);
  expect(await recovered([], false)).toEqual([]);
});
