import type { Mutant } from '../mutant.ts';
import { ADVANTAGES } from './advantages.ts';
import { GATE } from './gate.ts';
import { HASHES } from './hashes.ts';
import { LEAKS } from './leaks.ts';
import { PROMPTS } from './prompts.ts';
import { REVIEWING } from './reviewing.ts';
import { REWARDS } from './rewards.ts';
import { RZERO_MUTANTS } from './rzero.ts';
import { COMPARISON } from './scores.ts';
import { STATISTICS } from './statistics.ts';
import { SUMMARIES } from './summaries.ts';
import { TRAINER_MUTANTS } from './trainer.ts';
import { VERDICTS } from './verdicts.ts';

/** All mutants, chapter by chapter. */
export const MUTANTS: readonly Mutant[] = [
  ...GATE,
  ...PROMPTS,
  ...REWARDS,
  ...ADVANTAGES,
  ...REVIEWING,
  ...LEAKS,
  ...SUMMARIES,
  ...VERDICTS,
  ...STATISTICS,
  ...COMPARISON,
  ...HASHES,
  ...RZERO_MUTANTS,
  ...TRAINER_MUTANTS,
];
