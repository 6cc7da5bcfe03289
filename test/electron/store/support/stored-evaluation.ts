import type { EvaluationPlanRecord } from '../../../../electron/contract/index.ts';
import type { Lab } from '../../../../electron/store/index.ts';
import { TOY_PROTOCOL, toyAnswer, toyPlan } from './toy-evaluation.ts';

export const SET_SHA256 = 'b'.repeat(64);

type Stored = {
  id: string;
  runId: string;
  step: number;
  /** Whether each answer passed, item by item. */
  passed: readonly boolean[];
  texts?: readonly string[];
  asked?: (ordinal: number) => string;
  plan?: Partial<Omit<EvaluationPlanRecord, 'protocol'>>;
  protocol?: string;
  /** Bounds of the share that passed. */
  bounds?: readonly [number, number];
  /** Answers to each item, one after the other. */
  samples?: number;
  /** What the score counts: answers that passed, of which more is better, or those that failed. */
  counts?: 'passed' | 'failed';
};

/** A finished evaluation of a run's checkpoint. */
export function storeEvaluation(
  lab: Lab,
  {
    id,
    runId,
    step,
    passed,
    texts = [],
    asked = () => 'q',
    plan = {},
    protocol = 'usual',
    bounds = [0, 1],
    samples = 1,
    counts = 'passed',
  }: Stored,
): void {
  const weightsSha256 = lab.getCheckpoint(runId, step)?.weightsSha256 ?? '';
  lab.beginEvaluation({
    id,
    weightsSha256,
    planned: passed.length,
    plan: toyPlan(
      {
        id: `${runId}@${step}`,
        kind: 'checkpoint',
        label: `run ${runId}, step ${step}`,
        runId,
        step,
        model: 'm',
        format: 'safetensors',
        sha256: weightsSha256,
      },
      SET_SHA256,
      { items: passed.length, protocol: { ...TOY_PROTOCOL, name: protocol, samples }, ...plan },
    ),
  });
  lab.putEvaluationItems(
    id,
    passed.map((isPassed, ordinal) =>
      toyAnswer(ordinal, isPassed, {
        itemId: `i${Math.floor(ordinal / samples)}`,
        sample: ordinal % samples,
        asked: [{ role: 'user', content: asked(ordinal) }],
        text: texts[ordinal] ?? 'answer',
      }),
    ),
  );
  const [n, [low, high]] = [passed.length, bounds];
  const value = passed.filter((isPassed) => isPassed === (counts === 'passed')).length / n;
  const score = {
    name: counts,
    value,
    low,
    high,
    n,
    unit: 'share',
    better: counts === 'passed' ? 'higher' : 'lower',
    interval: 'wilson',
  } as const;
  lab.finishEvaluation(id, [score], 10);
}
