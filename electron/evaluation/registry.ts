import { Failure } from '../contract/index.ts';
import type { Suite } from './suites/suite.ts';
import { toyArithmetic, toyMemory, toyOverRefusal, toyRefusal } from './suites/toy/conduct.ts';
import { toyAbduction, toyDeduction, toyInduction } from './suites/toy/code.ts';

/** A suite whose items are opaque to the rest of the program. */
export type AnySuite = Suite<{ id: string }>;

/** Every suite; the order is the order of tables. */
export const SUITES = [toyDeduction, toyAbduction, toyInduction, toyArithmetic, toyRefusal, toyOverRefusal, toyMemory] as unknown as AnySuite[];

/** @throws Failure `unknownSuite` (exit code 2) naming the suites there are. */
export function suiteByName(name: string): AnySuite {
  const suite = SUITES.find((candidate) => candidate.name === name);
  if (suite === undefined) throw new Failure('unknownSuite', `There is no suite "${name}"; the suites are ${SUITES.map((entry) => entry.name).join(', ')}.`, 2);
  return suite;
}
