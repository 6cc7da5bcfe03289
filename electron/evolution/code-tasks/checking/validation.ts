import type { Verdict } from '../../../contract/index.ts';
import type { ParseFacts, RunLimits, RunnerClient } from '../../../processes/index.ts';
import type { SupervisedItem } from '../../../supervision/index.ts';
import type { ParsedProposal, TaskTypeDefinition } from '../task-types/task-type.ts';
import { judgeProposal, prepareProposal, type Validation, type ValidationRules } from './proposals.ts';

/** The part of the sandbox that validation needs. */
export type ValidationRunner = Pick<RunnerClient, 'parse' | 'check'>;

/** What the runner read of a proposed program, and whether it is a task. */
export type ValidatedProposal = { facts: ParseFacts; validation: Validation; level: Verdict['sandboxLevel'] };

/** Parses a proposal, runs it twice under two hash seeds where it may run, and says whether it is a task. */
export async function validateProposal(
  runner: ValidationRunner,
  proposal: ParsedProposal,
  type: TaskTypeDefinition,
  rules: ValidationRules,
  limits: RunLimits,
  existing: ReadonlySet<string>,
): Promise<ValidatedProposal> {
  const [facts] = await runner.parse([proposal.program]);
  if (facts === undefined) throw new Error('The runner answered no facts for a program.');
  const preparation = prepareProposal(proposal, type, facts, rules);
  if (!preparation.ok) return { facts, validation: preparation, level: null };
  const { program, entry, calls } = preparation.prepared;
  const check = await runner.check({ program, entry, calls, limits });
  return {
    facts,
    validation: judgeProposal(preparation.prepared, check, rules, existing),
    level: check.level,
  };
}

/** What a supervisor is told of the runner's reading of a program. */
export function parsedFacts(facts: ParseFacts | null): SupervisedItem['parsed'] {
  if (facts === null) return null;
  return facts.ok
    ? { ok: true, errorLine: null, imports: facts.imports }
    : { ok: false, errorLine: facts.error.line ?? null, imports: [] };
}
