import {
  answerKind,
  type AzrConfig,
  CODE_TASK_TYPES,
  type CodeTaskType,
  runConfigSchema,
  type RunConfig,
  type Verdict,
} from '../../../contract/index.ts';
import { limitsOf, type ParseFacts, type RunLimits, type RunnerClient } from '../../../processes/index.ts';
import type { ProgramChecker, SupervisedItem } from '../../../supervision/index.ts';
import { literalStyleOf } from '../prompts.ts';
import { definitionOf } from '../task-types/registry.ts';
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

/** Validates programs with one input as a run of default settings validates proposals whose gold is the returned value. */
export function programChecker(
  runner: ValidationRunner,
  promptPack: RunConfig['policy']['promptPack'],
): ProgramChecker {
  const { framework, sandbox } = runConfigSchema.parse({});
  const rules = {
    ...(framework as AzrConfig),
    rejectDuplicates: false,
    literalStyle: literalStyleOf(promptPack),
  };
  const type = definitionOf(CODE_TASK_TYPES.find((name) => answerKind(name) === 'output') as CodeTaskType);
  const limits = limitsOf(sandbox);
  return async (program, input) => {
    const proposal = { program, inputs: [input], message: null };
    const { facts, validation } = await validateProposal(runner, proposal, type, rules, limits, new Set());
    return {
      valid: validation.ok,
      reason: validation.ok ? null : validation.reason,
      parsed: parsedFacts(facts) ?? { ok: false, errorLine: null, imports: [] },
      normalized: facts.ok ? facts.normalized : null,
      output: validation.ok ? (validation.task.outputs[0] ?? null) : null,
    };
  };
}
