import type { AzrConfig, CodeTaskType, Frame, Probability } from '../../../contract/index.ts';
import { parseArguments, renderLiteral, sha256Hex, valueKey, canonicalJson, type LiteralStyle } from '../../../core/index.ts';
import type { CheckResult, ParseFacts, RunnerCall } from '../../../processes/index.ts';
import type { ParsedProposal } from './read-proposal.ts';
import {
  bannedCall, bannedImport, bannedImportCompat, countFunctionsCompat, ENTRY, entryFunction, renameEntry, renameEntryCompat, type ProgramFacts,
} from './program.ts';
import type { RejectionReason } from './reasons.ts';

export type ValidationRules = Pick<AzrConfig, 'validator' | 'bannedModules' | 'rejectMultipleFunctions' | 'maxLiteralChars' | 'rejectDuplicates'> & {
  /** How literals are written into tasks: as the policy's prompt pack writes them. */
  literalStyle: LiteralStyle;
};

/** A proposal that may be executed: send `program`, `entry` and `calls` to the runner's determinism check. */
export type PreparedProposal = {
  taskType: CodeTaskType; program: string; entry: typeof ENTRY; calls: RunnerCall[];
  /** Input literals as the task will show them. */
  inputs: string[];
  message: string | null; imports: string[];
};
export type Preparation = { ok: true; prepared: PreparedProposal } | { ok: false; reason: RejectionReason };

/** The content of a new task; the pipeline adds id, step, rollout and solve rate. */
export type ValidTask = { program: string; inputs: string[]; outputs: string[]; message: string | null; imports: string[] };
export type Validation = { ok: true; task: ValidTask } | { ok: false; reason: RejectionReason };

/**
 * Everything that can be decided about a proposal before it runs. `facts` are the runner's parse of `proposal.program`.
 * strict: inputs are read as data and written back in one line. azr-compat: inputs stay text that is pasted into a call, any
 * text containing `input(` is refused, and banned words are compared as the original compares them.
 */
export function prepareProposal(proposal: ParsedProposal, taskType: CodeTaskType, facts: ParseFacts, rules: ValidationRules): Preparation {
  if (!facts.ok) return { ok: false, reason: 'syntax-error' };
  const program = taskType === 'induction' ? { ok: true as const, program: proposal.program } : acceptProgram(proposal.program, facts, rules);
  if (!program.ok) return program;
  const common = { taskType, program: program.program, entry: ENTRY, message: proposal.message, imports: facts.imports } satisfies Partial<PreparedProposal>;
  if (rules.validator === 'azr-compat') {
    return { ok: true, prepared: { ...common, inputs: proposal.inputs, calls: proposal.inputs.map((input) => ({ expression: `${ENTRY}(${input})` })) } };
  }
  const calls: { args: Frame[] }[] = [];
  for (const input of proposal.inputs) {
    const read = parseArguments(input, { extended: true });
    if (!read.ok) return { ok: false, reason: 'not-a-literal' };
    if (read.frames.length === 0) return { ok: false, reason: 'no-input' };
    calls.push({ args: read.frames });
  }
  const comma = rules.literalStyle === 'repr' ? ', ' : ',';
  const inputs = calls.map(({ args }) => args.map((frame) => renderLiteral(frame, rules.literalStyle)).join(comma));
  return { ok: true, prepared: { ...common, inputs, calls } };
}

function acceptProgram(program: string, facts: ProgramFacts, rules: ValidationRules): { ok: true; program: string } | { ok: false; reason: RejectionReason } {
  return rules.validator === 'strict' ? acceptStrict(program, facts, rules) : acceptCompat(program, facts, rules);
}

function acceptStrict(program: string, facts: ProgramFacts, rules: ValidationRules): { ok: true; program: string } | { ok: false; reason: RejectionReason } {
  const entry = entryFunction(facts);
  if (entry === null) return { ok: false, reason: 'no-program' };
  if (rules.rejectMultipleFunctions && facts.functions.length > 1) return { ok: false, reason: 'several-functions' };
  if (entry.args.length === 0) return { ok: false, reason: 'no-parameters' };
  if (bannedImport(facts.imports, rules.bannedModules) !== null) return { ok: false, reason: 'banned-module' };
  if (bannedCall(facts.callsTo, facts.functions) !== null) return { ok: false, reason: 'banned-call' };
  const renamed = renameEntry(program, entry);
  return renamed === null ? { ok: false, reason: 'ambiguous-entry' } : { ok: true, program: renamed };
}

function acceptCompat(program: string, facts: ProgramFacts, rules: ValidationRules): { ok: true; program: string } | { ok: false; reason: RejectionReason } {
  if (rules.rejectMultipleFunctions && countFunctionsCompat(program) > 1) return { ok: false, reason: 'several-functions' };
  if (bannedImportCompat(facts.imports, rules.bannedModules) !== null) return { ok: false, reason: 'banned-module' };
  if (program.includes('input(')) return { ok: false, reason: 'banned-call' };
  return { ok: true, program: renameEntryCompat(program, rules.rejectMultipleFunctions ? 'first' : 'any-last') };
}

/** Characters kept at each end when the original shortens an output. */
const COMPAT_KEPT_CHARS = 200;

/**
 * The verdict on a proposal that was executed twice under two hash seeds. strict refuses what cannot become a fair task:
 * exceptions, non-determinism, None, NaN, values that are no plain data, and outputs longer than the limit.
 * azr-compat accepts an exception whose class name lacks "Error", and non-determinism, with an empty output (so nobody can
 * ever solve them), and shortens a long output to its ends; values that are no plain data are refused here all the same.
 */
export function judgeProposal(prepared: PreparedProposal, check: CheckResult, rules: ValidationRules, existing: ReadonlySet<string>): Validation {
  const outputs: string[] = [];
  for (const [index] of prepared.calls.entries()) {
    const output = rules.validator === 'strict' ? strictOutput(check, index, rules) : compatOutput(check, index);
    if (!output.ok) return output;
    outputs.push(output.text);
  }
  const task: ValidTask = { program: prepared.program, inputs: prepared.inputs, outputs, message: prepared.message, imports: prepared.imports };
  if (rules.rejectDuplicates && existing.has(taskKey(prepared.taskType, task))) return { ok: false, reason: 'duplicate' };
  return { ok: true, task };
}

type Output = { ok: true; text: string } | { ok: false; reason: RejectionReason };

function strictOutput(check: CheckResult, index: number, rules: ValidationRules): Output {
  const failure = callFailure(check, index);
  if (failure !== null) return { ok: false, reason: failure };
  if (!check.deterministic) return { ok: false, reason: 'non-deterministic' };
  const value = check.calls[index]?.value;
  if (value === undefined) return { ok: false, reason: 'died' };
  if (value[0] === 'n') return { ok: false, reason: 'empty-output' };
  if (valueKey(value, 'strict') === null) return { ok: false, reason: 'not-comparable' };
  const text = renderLiteral(value, rules.literalStyle);
  return text.length > rules.maxLiteralChars ? { ok: false, reason: 'too-long' } : { ok: true, text };
}

function compatOutput(check: CheckResult, index: number): Output {
  const failure = callFailure(check, index);
  const error = (check.calls[index]?.error ?? check.error)?.type ?? '';
  if (failure === 'raised' && !/error/i.test(error)) return { ok: true, text: '' };
  if (failure !== null) return { ok: false, reason: failure };
  const value = check.calls[index]?.value;
  if (!check.deterministic || value === undefined || valueKey(value, 'python') === null) return { ok: true, text: '' };
  const text = renderLiteral(value, 'repr');
  return { ok: true, text: text.length > COMPAT_KEPT_CHARS * 2 ? `${text.slice(0, COMPAT_KEPT_CHARS)}...${text.slice(-COMPAT_KEPT_CHARS)}` : text };
}

/** What kept a call from giving a value; null when it gave one. */
export function callFailure(result: Pick<CheckResult, 'status' | 'error' | 'calls'>, index: number): RejectionReason | null {
  const call = result.calls[index];
  const reached = call !== undefined && call.status !== 'notRun';
  // A call that was not reached either waits behind one that failed, or the module body itself did not finish.
  if (!reached && result.calls.some(({ status }) => status !== 'ok' && status !== 'notRun')) return 'not-run';
  const { status, error } = reached ? call : result;
  switch (status) {
    case 'ok': return reached ? null : 'not-run';
    case 'error': return ERROR_REASONS[error?.type ?? ''] ?? 'raised';
    case 'timeout': case 'memory': case 'died': return status;
    case 'output': return 'too-much-output';
    case 'badFrame': return 'died';
    case 'notRun': return 'not-run';
  }
}

/** Exceptions that say something other than "the program raised one": the runner's own, and the ones its limits cause. */
const ERROR_REASONS: Record<string, RejectionReason> = { UnsupportedType: 'unsupported-value', MemoryError: 'memory', SyntaxError: 'syntax-error' };

/** Two tasks with this key equal ask the same: same type, same program text up to white space at line ends, same inputs. */
export function taskKey(taskType: CodeTaskType, task: Pick<ValidTask, 'program' | 'inputs'>): string {
  const program = task.program.split('\n').map((line) => line.trimEnd()).filter((line) => line !== '').join('\n');
  return sha256Hex(canonicalJson([taskType, program, task.inputs]));
}

/** Whether a valid task enters its buffer: all, or none that everybody solves (non-one), or neither that nor unsolved (non-extremes). */
export function entersBuffer(solveRate: Probability | null, filter: AzrConfig['bufferFilter']): boolean {
  if (filter === 'all' || solveRate === null) return true;
  return solveRate < 1 && (filter === 'non-one' || solveRate > 0);
}
