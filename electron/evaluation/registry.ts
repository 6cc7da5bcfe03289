import { Failure } from '../contract/index.ts';
import type { Suite } from './suites/suite.ts';
import { toyAbduction } from './suites/toy-abduction/index.ts';
import { toyArithmetic } from './suites/toy-arithmetic/index.ts';
import { toyChoice } from './suites/toy-choice/index.ts';
import { toyDeduction } from './suites/toy-deduction/index.ts';
import { toyError } from './suites/toy-error/index.ts';
import { toyInduction } from './suites/toy-induction/index.ts';
import { toyMemory } from './suites/toy-memory/index.ts';
import { toyOverRefusal } from './suites/toy-over-refusal/index.ts';
import { toyRefusal } from './suites/toy-refusal/index.ts';

/** A suite whose items are opaque to the rest of the program. */
export type AnySuite = Suite<{ id: string }>;

/** Every suite; the order is the order of tables. */
export const SUITES = [
  toyDeduction,
  toyAbduction,
  toyInduction,
  toyError,
  toyArithmetic,
  toyRefusal,
  toyOverRefusal,
  toyMemory,
  toyChoice,
] as unknown as AnySuite[];

/** @throws Failure `unknownSuite` (exit code 2) naming the suites there are. */
export function suiteByName(name: string): AnySuite {
  const suite = SUITES.find((candidate) => candidate.name === name);
  if (suite === undefined)
    throw new Failure(
      'unknownSuite',
      `There is no suite "${name}"; the suites are ${SUITES.map((entry) => entry.name).join(', ')}.`,
      2,
    );
  return suite;
}
