import type { EvaluationOrder } from '../../../../electron/contract/index.ts';

const order = (subject: string, limit: number): EvaluationOrder => ({
  subjects: [subject],
  suites: ['toy-refusal', 'toy-induction'],
  limit,
  seed: 3,
  context: null,
  judge: null,
  protocols: {},
  again: false,
});

/** Asked by the program that is killed and by the one that is not. A GGUF model computes eight answers as one batch, and the last of these is no full one. */
export const ORDERS = { policy: order('embedded', 24), gguf: order('model:embedded-supervisor', 21) };
export type OrderName = keyof typeof ORDERS;
