import { afterAll, describe, expect, it, vi } from 'vitest';
import { anchor, makeLab, query, removeLab, SMALL_RUN, steps, type StepRow } from './anchor-cli.ts';

const labs: string[] = [];
afterAll(() => labs.forEach(removeLab));

function runSmall(...extra: string[]): { lab: string; rows: StepRow[] } {
  const lab = makeLab();
  labs.push(lab);
  const { code, stderr } = anchor(lab, [...SMALL_RUN, ...extra]);
  expect(code, stderr).toBe(0);
  return { lab, rows: steps(lab) };
}

const phases = (p: number): string[] =>
  ['task', 'plan', 'thought', 'output', 'exec'].flatMap((phase) => [
    '--set',
    `supervision.phases.${phase}=${p}`,
  ]);
const hashes = ({ rows }: { rows: StepRow[] }): string[] => rows.map((row) => row.step_hash);
const weights = ({ rows }: { rows: StepRow[] }): string[] => rows.map((row) => row.weights_sha256);

vi.setConfig({ testTimeout: 600_000 });

describe('the same seed on the same machine', () => {
  it.each(['rubric', 'llama'])(
    'gives the same records, rewards and weights bit for bit under the %s reviewer',
    (reviewer) => {
      const [first, second] = [
        runSmall('--set', `supervision.reviewer=${reviewer}`),
        runSmall('--set', `supervision.reviewer=${reviewer}`),
      ];
      expect(hashes(first)).toHaveLength(2);
      expect(hashes(second)).toEqual(hashes(first));
    },
  );

  it('another seed gives other weights', () => {
    expect(weights(runSmall('--set', 'seed=2', ...phases(0)))).not.toEqual(weights(runSmall(...phases(0))));
  });
});

describe('review probabilities', () => {
  it('p = 0 in all phases moves the weights exactly as a run without supervision, whoever would review', () => {
    const alone = runSmall(...phases(0));
    const rubric = runSmall(...phases(0), '--set', 'supervision.reviewer=rubric');
    expect(weights(rubric)).toEqual(weights(alone));
    expect(query(alone.lab, 'SELECT id FROM reviews')).toEqual([]);
    const rollouts =
      'SELECT id, text, reward, advantage, outcome FROM rollouts JOIN rollout_texts USING (key) ORDER BY id';
    expect(query(rubric.lab, rollouts)).toEqual(query(alone.lab, rollouts));
  });

  it('p = 1 reviews every part of every trained rollout and every batch', () => {
    const { lab } = runSmall(...phases(1), '--set', 'supervision.reviewer=rubric');
    const count = (sql: string): number =>
      query<{ n: number }>(lab, `SELECT count(*) AS n FROM ${sql}`)[0]?.n ?? -1;
    const trained = `rollouts JOIN rollout_texts USING (key) WHERE purpose <> 'estimate'`;
    expect(count(`reviews WHERE phase = 'task'`)).toBe(count(`${trained} AND purpose = 'propose'`));
    expect(count(`reviews WHERE phase = 'plan'`)).toBe(
      count(`${trained} AND trim(coalesce(plan, '')) <> ''`),
    );
    expect(count(`reviews WHERE phase = 'thought'`)).toBe(
      count(`${trained} AND trim(coalesce(thought, '')) <> ''`),
    );
    expect(count(`reviews WHERE phase = 'output'`)).toBe(count(`${trained} AND purpose = 'solve'`));
    expect(count(`reviews WHERE phase = 'exec'`)).toBe(
      query(lab, 'SELECT DISTINCT step, batch FROM rollouts').length,
    );
    expect(count(`reviews WHERE status <> 'done'`)).toBe(0);
  });
});

describe('decision = retry', () => {
  it('enforced, generates what was sent back once more and trains on that; recorded, changes nothing', () => {
    const settings = ['--set', 'steps=1', ...phases(1), '--set', 'supervision.reviewer=rubric'];
    const enforced = runSmall(...settings, '--set', 'supervision.retry=enforce');
    const sentBack = query<{ id: string }>(
      enforced.lab,
      `SELECT DISTINCT r.id FROM reviews v JOIN rollouts r ON r.key = v.rollout_key WHERE v.decision = 'retry' ORDER BY r.id`,
    ).map((row) => row.id);
    expect(sentBack.length).toBeGreaterThan(0);
    const rewardOf = new Map(
      query<{ id: string; reward: number | null }>(enforced.lab, 'SELECT id, reward FROM rollouts').map(
        (row) => [row.id, row.reward],
      ),
    );
    for (const id of sentBack) {
      expect(rewardOf.get(id), id).toBeNull();
      expect(rewardOf.get(`${id}/r1`), `${id}/r1`).not.toBeNull();
    }
    const recorded = runSmall(...settings);
    const alone = runSmall('--set', 'steps=1', ...phases(0));
    expect(weights(recorded)).toEqual(weights(alone));
    expect(weights(enforced)).not.toEqual(weights(alone));
  });
});

describe('a KL term', () => {
  it('is measured against the weights the run started from, not against the last checkpoint', () => {
    const { lab } = runSmall(
      '--set',
      'train.kl={coefficient: 0.05, estimator: k3}',
      '--set',
      'train.learningRate=0.001',
      ...phases(0),
    );
    const divergence = query<{ step: number; value: number }>(
      lab,
      `SELECT step, value FROM metrics WHERE name = 'actor/kl_reference' ORDER BY step`,
    );
    expect(divergence).toHaveLength(2);
    expect(Math.abs(divergence[0]?.value ?? 1)).toBeLessThan(1e-6);
    expect(divergence[1]?.value).toBeGreaterThan(1e-5);
  });
});
