import {
  answerKind,
  CODE_TASK_TYPES,
  type CodeTaskType,
  runConfigSchema,
  type RunConfig,
} from '../../../contract/index.ts';
import { limitsOf } from '../../../processes/index.ts';
import type { ProgramChecker } from '../../../supervision/index.ts';
import { literalStyleOf } from '../prompts.ts';
import { definitionOf } from '../task-types/registry.ts';
import { parsedFacts, validateProposal, type ValidationRunner } from './validation.ts';

/** Validates programs with one input as a run of default settings validates proposals whose gold is the returned value. */
export function programChecker(
  runner: ValidationRunner,
  promptPack: RunConfig['policy']['promptPack'],
): ProgramChecker {
  const { framework, sandbox } = runConfigSchema.parse({});
  const rules = { ...framework, rejectDuplicates: false, literalStyle: literalStyleOf(promptPack) };
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
