import { describe, expect, it } from 'vitest';
import { runConfigSchema, type RunConfigInput } from '../../../electron/contract/index.ts';
import { LocalWeightSet } from '../../../electron/models/local-weights.ts';
import type { RecoveryPoint } from '../../../electron/models/port.ts';

const CHECKPOINT: RecoveryPoint = { kind: 'checkpoint', folder: '/run/step-2', version: 2 };

/** What a trainer is asked to load and to update by weights with these settings. */
async function asked(train: RunConfigInput['train'], point: RecoveryPoint, beginsStage?: boolean) {
  let load: Record<string, unknown> = {};
  let update: Record<string, unknown> = {};
  const client = {
    load: async (request: Record<string, unknown>) => ((load = request), {}),
    update: async (request: Record<string, unknown>) => (
      (update = request),
      { optimizerSteps: 1, loss: [0] }
    ),
  };
  const process = {
    weights: 'solver',
    client,
    repeatOnLoss: (_: string, action: () => Promise<unknown>) => action(),
    hold: () => {},
  };
  const settings = { train: runConfigSchema.parse({ train }).train, model: '/model', backend: 'native' };
  const weights = new LocalWeightSet(process as never, settings as never, point, () => {});
  await weights.load();
  await weights.update('s3/update', [{ rolloutId: 'a', advantage: 1 }], beginsStage);
  return { reference: load['reference'], update, loss: update['loss'] as Record<string, unknown> };
}

const KL = { coefficient: 0.01, estimator: 'k3' } as const;

describe('a stage of training', () => {
  it('begins from the recovery point', async () => {
    const { update } = await asked({}, CHECKPOINT, true);
    expect(update).toMatchObject({ beginsFrom: '/run/step-2', expectVersion: 2 });
  });

  it('does not begin where nobody says so, nor with weights that were never trained', async () => {
    expect((await asked({}, CHECKPOINT)).update).not.toHaveProperty('beginsFrom');
    const model: RecoveryPoint = { kind: 'model', folder: '/model', version: 0 };
    expect((await asked({}, model, true)).update).not.toHaveProperty('beginsFrom');
  });

  it('is what a KL term is measured against only where the run says so', async () => {
    expect((await asked({}, CHECKPOINT)).reference).toBe('none');
    expect((await asked({ kl: KL }, CHECKPOINT)).reference).toBe('copy');
    expect((await asked({ kl: { ...KL, reference: 'model' } }, CHECKPOINT)).reference).toBe('copy');
    expect((await asked({ kl: { ...KL, reference: 'stage' } }, CHECKPOINT)).reference).toBe('stage');
  });
});

describe('the loss that a trainer is asked for', () => {
  it('has the bound of the divergence where one is set', async () => {
    expect((await asked({ kl: KL }, CHECKPOINT)).loss['kl']).toEqual({ coef: 0.01, estimator: 'k3' });
    expect((await asked({ kl: { ...KL, clamp: 10 } }, CHECKPOINT)).loss['kl']).toEqual({
      coef: 0.01,
      estimator: 'k3',
      clamp: 10,
    });
  });

  it('is added up as the run says', async () => {
    expect((await asked({}, CHECKPOINT)).loss['agg']).toBe('token-mean');
    expect((await asked({ microBatch: 2 }, CHECKPOINT)).loss['agg']).toEqual({
      micro: 2,
    });
  });
});
