import type { AzrConfig, EncodedValue } from '../../../contract/index.ts';
import { parseArguments, renderLiteral } from '../../../core/index.ts';
import type { CheckResult, ParseFacts, RunnerCall } from '../../../processes/index.ts';
import { taskKey } from '../buffers.ts';
import type { ParsedProposal, TaskTypeDefinition } from '../task-types/task-type.ts';
import type { GoldRules } from './gold-values.ts';
import {
  bannedCall,
  bannedImport,
  bannedImportCompat,
  countFunctionsCompat,
  ENTRY,
  entryFunction,
  renameEntry,
  renameEntryCompat,
  type ProgramFacts,
} from './program.ts';
import type { RejectionReason } from './reasons.ts';

export type ValidationRules = GoldRules &
  Pick<AzrConfig, 'bannedModules' | 'rejectMultipleFunctions' | 'rejectDuplicates'>;

/** A proposal that may be executed: send `program`, `entry` and `calls` to the runner's determinism check. */
export type PreparedProposal = {
  type: TaskTypeDefinition;
  program: string;
  entry: typeof ENTRY;
  calls: RunnerCall[];
  /** Input literals as the task will show them. */
  inputs: string[];
  message: string | null;
  imports: string[];
};
export type Preparation = { ok: true; prepared: PreparedProposal } | { ok: false; reason: RejectionReason };

/** The content of a new task; the pipeline adds id, step, rollout and solve rate. */
export type ValidTask = {
  program: string;
  inputs: string[];
  outputs: string[];
  message: string | null;
  imports: string[];
};
export type Validation = { ok: true; task: ValidTask } | { ok: false; reason: RejectionReason };

/**
 * Everything that can be decided about a proposal before it runs. `facts` are the runner's parse of `proposal.program`.
 * strict: inputs are read as data and written back in one line. azr-compat: inputs stay text that is pasted into a call, any
 * text containing `input(` is refused, and banned words are compared as the original compares them.
 */
export function prepareProposal(
  proposal: ParsedProposal,
  type: TaskTypeDefinition,
  facts: ParseFacts,
  rules: ValidationRules,
): Preparation {
  if (!facts.ok) return { ok: false, reason: 'syntax-error' };
  const program = type.writesProgram
    ? acceptProgram(proposal.program, facts, rules)
    : { ok: true as const, program: proposal.program };
  if (!program.ok) return program;
  const common = {
    type,
    program: program.program,
    entry: ENTRY,
    message: proposal.message,
    imports: facts.imports,
  } satisfies Partial<PreparedProposal>;
  if (rules.validator === 'azr-compat') {
    return {
      ok: true,
      prepared: {
        ...common,
        inputs: proposal.inputs,
        calls: proposal.inputs.map((input) => ({ expression: `${ENTRY}(${input})` })),
      },
    };
  }
  const calls: { args: EncodedValue[] }[] = [];
  for (const input of proposal.inputs) {
    const read = parseArguments(input, { extended: true });
    if (!read.ok) return { ok: false, reason: 'not-a-literal' };
    if (read.values.length === 0) return { ok: false, reason: 'no-input' };
    calls.push({ args: read.values });
  }
  const comma = rules.literalStyle === 'repr' ? ', ' : ',';
  const inputs = calls.map(({ args }) =>
    args.map((encoded) => renderLiteral(encoded, rules.literalStyle)).join(comma),
  );
  return { ok: true, prepared: { ...common, inputs, calls } };
}

function acceptProgram(
  program: string,
  facts: ProgramFacts,
  rules: ValidationRules,
): { ok: true; program: string } | { ok: false; reason: RejectionReason } {
  return rules.validator === 'strict'
    ? acceptStrict(program, facts, rules)
    : acceptCompat(program, facts, rules);
}

function acceptStrict(
  program: string,
  facts: ProgramFacts,
  rules: ValidationRules,
): { ok: true; program: string } | { ok: false; reason: RejectionReason } {
  const entry = entryFunction(facts);
  if (entry === null) return { ok: false, reason: 'no-program' };
  if (rules.rejectMultipleFunctions && facts.functions.length > 1)
    return { ok: false, reason: 'several-functions' };
  if (entry.args.length === 0) return { ok: false, reason: 'no-parameters' };
  if (bannedImport(facts.imports, rules.bannedModules) !== null)
    return { ok: false, reason: 'banned-module' };
  if (bannedCall(facts.callsTo, facts.functions) !== null) return { ok: false, reason: 'banned-call' };
  const renamed = renameEntry(program, entry);
  return renamed === null ? { ok: false, reason: 'ambiguous-entry' } : { ok: true, program: renamed };
}

function acceptCompat(
  program: string,
  facts: ProgramFacts,
  rules: ValidationRules,
): { ok: true; program: string } | { ok: false; reason: RejectionReason } {
  if (rules.rejectMultipleFunctions && countFunctionsCompat(program) > 1)
    return { ok: false, reason: 'several-functions' };
  if (bannedImportCompat(facts.imports, rules.bannedModules) !== null)
    return { ok: false, reason: 'banned-module' };
  if (program.includes('input(')) return { ok: false, reason: 'banned-call' };
  return {
    ok: true,
    program: renameEntryCompat(program, rules.rejectMultipleFunctions ? 'first' : 'any-last'),
  };
}

/** The verdict on a proposal that was executed twice under two hash seeds: a task when its type finds a gold for every input. */
export function judgeProposal(
  prepared: PreparedProposal,
  check: CheckResult,
  rules: ValidationRules,
  existing: ReadonlySet<string>,
): Validation {
  const outputs: string[] = [];
  for (const call of prepared.calls.keys()) {
    const gold = prepared.type.goldOf(check, call, rules);
    if (!gold.ok) return gold;
    outputs.push(gold.text);
  }
  const task: ValidTask = {
    program: prepared.program,
    inputs: prepared.inputs,
    outputs,
    message: prepared.message,
    imports: prepared.imports,
  };
  if (rules.rejectDuplicates && existing.has(taskKey(prepared.type.name, task)))
    return { ok: false, reason: 'duplicate' };
  return { ok: true, task };
}
