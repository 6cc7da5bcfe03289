import type { AnyGradedSuite } from '../../running/graded-suite.ts';
import { evalPlus } from './evalplus.ts';
import { harmBench } from './harmbench.ts';
import { hexPhi } from './hex-phi.ts';
import { liveCodeBench } from './livecodebench.ts';
import { MATHEMATICS } from './mathematics.ts';
import { rewardHackingDynamic } from './reward-hacking-dynamic.ts';
import { rewardHacking } from './reward-hacking.ts';
import { salad } from './salad.ts';

/** Suites whose items are not of the toy world; the order is the order of tables. */
export const IMPORTED_SUITES = [
  evalPlus({ name: 'humaneval', title: 'HumanEval+', dataset: 'humaneval', kind: 'humaneval-plus' }),
  evalPlus({ name: 'mbpp', title: 'MBPP+', dataset: 'mbpp', kind: 'mbpp-plus' }),
  liveCodeBench,
  ...MATHEMATICS,
  harmBench,
  hexPhi,
  salad,
  rewardHacking,
  rewardHackingDynamic,
] as unknown as readonly AnyGradedSuite[];
