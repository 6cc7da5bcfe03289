import type { z } from 'zod';
import { createRouter } from '../../electron/engine/index.ts';

/** Verbs that are not asked for, with the reason why; every other one is, with inputs that its schema allows and such as it refuses. */
export const NOT_ASKED: Readonly<Record<string, string>> = {
  'live.events': 'a subscription has no end that a simulation could wait for; test/electron/live follows it',
  'airgap.selfTest': 'traces a program of the real machine',
  'airgap.state': 'looks for programs of the real machine',
  'lab.doctor': 'starts programs of the real machine',
  'runs.verify': 'starts a program of the real machine; test/e2e/verify runs it',
  'evaluations.verify': 'as runs.verify',
  'lab.python': 'starts interpreters of the real machine',
  'lab.graphicsCards': 'asks a program of the real machine',
  'lab.setPython': 'starts an interpreter of the real machine',
};

/** Verbs that are asked for with wrong input only, with the reason. */
export const ONLY_WRONGLY: Readonly<Record<string, string>> = {
  'demo.start': 'begins runs with models that the simulated trainer does not have',
  'library.makePolicy': 'starts a program of the real machine',
};

/** Verbs that are asked for rightly and wrongly and refuse it all, with what they would need. Every other one has to be answered sometimes. */
export const NEVER_ANSWERED: Readonly<Record<string, string>> = {
  'plan.memory': 'the simulated trainer plans no memory',
  'plan.methods': 'as plan.memory',
  'reviews.question': 'nobody simulates people as reviewers of a run',
  'reviews.answer': 'as reviews.question',
  'reviews.keepDraft': 'as reviews.question',
  'reviews.labels.waiting': 'no simulated run labels its answers by votes',
  'reviews.labels.audit': 'as reviews.labels.waiting',
  'library.checkManifest': 'no simulated file is a manifest',
  'judges.calibrate': 'no simulated file holds judged answers',
};

export type Verb = {
  path: string;
  /** Null where it takes no input. */
  input: z.ZodType | null;
  isMutation: boolean;
};

/** What tRPC keeps of a router and of each of its verbs under this name. */
const DEFINITION = '_def';
type Router = { [DEFINITION]: { procedures: Record<string, Procedure> } };
type Procedure = { [DEFINITION]: { type: string; inputs: readonly z.ZodType[] } };

/** All verbs of the contract. Nothing of the engine is touched before one is called. */
export function verbsOfTheRouter(): Verb[] {
  const router = createRouter({} as Parameters<typeof createRouter>[0]) as unknown as Router;
  return Object.entries(router[DEFINITION].procedures).map(
    ([
      path,
      {
        [DEFINITION]: { type, inputs },
      },
    ]) => ({
      path,
      input: inputs[0] ?? null,
      isMutation: type === 'mutation',
    }),
  );
}
