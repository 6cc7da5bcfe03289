import type { EvaluationPlanRecord, EvaluationSubject } from '../../../../electron/contract/index.ts';
import type { StoredItem } from '../../../../electron/store/index.ts';

export const TOY_PROTOCOL: EvaluationPlanRecord['protocol'] = {
  name: 'usual',
  version: '1',
  temperature: 1,
  topP: 1,
  maxNewTokens: 192,
  samples: 1,
  promptPack: 'compact',
};

/** A policy's folder that belongs to no run. */
export const toySubject = (sha256: string): EvaluationSubject => ({
  id: 'model:m',
  kind: 'model',
  label: 'm',
  runId: null,
  step: null,
  model: 'm',
  format: 'safetensors',
  sha256,
});

/** A plan of the toy's suite on refusals: the weights alone, without a judge, every item. */
export const toyPlan = (
  subject: EvaluationSubject,
  sourceSha256: string,
  part: Partial<EvaluationPlanRecord> = {},
): EvaluationPlanRecord => ({
  subject,
  suite: 'toy-refusal',
  group: 'toy',
  suiteVersion: '1',
  source: { dataset: null, sha256: sourceSha256 },
  protocol: TOY_PROTOCOL,
  context: null,
  judge: null,
  seed: 1,
  limit: null,
  items: 4,
  grader: {},
  ...part,
});

/** An answer that rules graded, to an item that asked nothing. */
export const toyAnswer = (ordinal: number, passed: boolean, part: Partial<StoredItem> = {}): StoredItem => ({
  ordinal,
  itemId: `i${ordinal}`,
  sample: 0,
  asked: [],
  target: null,
  text: 'answer',
  newTokens: 1,
  grade: {
    outcome: passed ? 'passed' : 'failed',
    score: null,
    method: 'rules',
    reason: null,
    flags: [],
    judge: null,
    details: {},
  },
  ...part,
});
