import type { AzrConfig, CodeTaskType, Frame, TaskRecord, Verdict } from '../../../contract/index.ts';
import { parseArguments, parseLiteral, readAnswerLiteral, readAnswerProgram, renderLiteral, sameValue, textFrame } from '../../../core/index.ts';
import type { RunnerCall, RunResult } from '../../../processes/index.ts';
import { splitPairs } from '../pool/pairs.ts';
import { ENTRY, importLines } from './program.ts';
import { callFailure } from './proposals.ts';
import type { RejectionReason } from './reasons.ts';

export type VerificationRules = Pick<AzrConfig, 'verifier' | 'inductionReward'>;

/**
 * What verifying an answer takes. `decided`: nothing to run. `run`: send `job` to the runner and pass the result to
 * `judgeRun` with the same plan; the plan keeps the gold on this side of the sandbox.
 */
export type VerificationPlan =
  | { kind: 'decided'; verdict: Verdict }
  | { kind: 'run'; job: { program: string; entry: typeof ENTRY; calls: RunnerCall[] }; gold: GoldCheck };

type GoldCheck = { kind: 'equals'; values: Frame[]; rule: AzrConfig['inductionReward']; missing: 'wrong' | 'dropped' } | { kind: 'truthy' };

type SolvableTask = Pick<TaskRecord, 'program' | 'inputs' | 'outputs'> & { taskType: CodeTaskType };

/**
 * Plans the verification of a solver's answer (the text of its answer block, or null without one).
 *
 * strict: an abduction answer becomes call arguments and the task's program runs on them; a deduction answer is compared
 * without running anything; an induction program runs on the hidden inputs. Values are compared here, with their types.
 * azr-compat: answers and gold are pasted into expressions that are evaluated (inside the sandbox, unlike the original's
 * trainer process), with Python's ==. An expression counts as an answer, pasted code can force a pass, an answer of several
 * lines always fails, and an output whose class has no literal can never be right.
 */
export function planVerification(task: SolvableTask, answer: string | null, rules: VerificationRules): VerificationPlan {
  if (answer === null) return failed('no-answer');
  const compat = rules.verifier === 'azr-compat';
  switch (task.taskType) {
    case 'abduction': return compat ? planPasted(task, answer) : planAbduction(task, answer);
    case 'deduction': return compat ? planEvaluated(task, answer) : judgeDeduction(task, answer);
    case 'induction': return planInduction(task, answer, rules);
  }
}

function planAbduction(task: SolvableTask, answer: string): VerificationPlan {
  const gold = goldValues([task.outputs[0] ?? '']);
  const read = parseArguments(readAnswerLiteral(answer, 'input', 'strict'), { extended: true });
  if (!read.ok) return failed('not-a-literal');
  if (read.frames.length === 0) return failed('no-answer');
  if (gold === null) return failed('wrong-value');
  return { kind: 'run', job: { program: task.program, entry: ENTRY, calls: [{ args: read.frames }] }, gold: { kind: 'equals', values: gold, rule: 'binary', missing: 'wrong' } };
}

function judgeDeduction(task: SolvableTask, answer: string): VerificationPlan {
  const gold = goldValues([task.outputs[0] ?? '']);
  const read = parseLiteral(readAnswerLiteral(answer, 'output', 'strict'), { extended: true });
  if (!read.ok) return failed('not-a-literal');
  if (gold === null) return failed('wrong-value');
  const difference = differenceOf(read.frame, gold[0] as Frame);
  return difference === null ? { kind: 'decided', verdict: verdict(1, null, null) } : failed(difference);
}

/** The original's template: one line `gold == f(answer)`; text before the last line makes the line a syntax error. */
function planPasted(task: SolvableTask, answer: string): VerificationPlan {
  const pasted = readAnswerLiteral(answer, 'input', 'azr-compat');
  if (pasted.includes('\n') || task.outputs[0]?.trim() === '') return failed('syntax-error');
  return { kind: 'run', job: { program: task.program, entry: ENTRY, calls: [{ expression: `${task.outputs[0]} == ${ENTRY}(${pasted})` }] }, gold: { kind: 'truthy' } };
}

function planEvaluated(task: SolvableTask, answer: string): VerificationPlan {
  const [gold, given] = [task.outputs[0] ?? '', readAnswerLiteral(answer, 'output', 'azr-compat')].map((text) => `eval(${renderLiteral(textFrame(text), 'repr')})`);
  return { kind: 'run', job: { program: '', entry: ENTRY, calls: [{ expression: `${gold} == ${given}` }] }, gold: { kind: 'truthy' } };
}

function planInduction(task: SolvableTask, answer: string, rules: VerificationRules): VerificationPlan {
  const program = readAnswerProgram(answer, rules.verifier);
  if (program === null) return failed('no-program');
  const { hidden } = splitPairs(task);
  const gold = goldValues(hidden.map(({ output }) => output));
  const calls = hidden.map(({ input }) => parseArguments(input, { extended: true }));
  const compat = rules.verifier === 'azr-compat';
  if (gold === null || hidden.length === 0 || calls.some((call) => !call.ok)) return failed('wrong-value');
  const source = compat ? [...importLines(task.program), program].join('\n') : program;
  return {
    kind: 'run',
    job: { program: source, entry: ENTRY, calls: calls.map((call) => ({ args: call.ok ? call.frames : [] })) },
    gold: { kind: 'equals', values: gold, rule: rules.inductionReward, missing: compat ? 'dropped' : 'wrong' },
  };
}

/** The verdict on a run. `accuracy` is what the reward uses: the share of right calls under 'accuracy', else 0 or 1. */
export function judgeRun(plan: Extract<VerificationPlan, { kind: 'run' }>, result: RunResult, rules: VerificationRules): Verdict {
  const problems = plan.job.calls.map((_, index) => callProblem(plan.gold, result, index, rules));
  const counted = plan.gold.kind === 'equals' && plan.gold.missing === 'dropped' ? problems.filter((problem) => problem !== 'died') : problems;
  const right = counted.filter((problem) => problem === null).length;
  const share = counted.length === 0 ? 0 : right / counted.length;
  const rule = plan.gold.kind === 'equals' ? plan.gold.rule : 'binary';
  const accuracy = rule === 'accuracy' ? share : Number(rule === 'any' ? share > 0 : share === 1);
  return verdict(accuracy, accuracy === 1 ? null : (problems.find((problem) => problem !== null) ?? 'wrong-value'), result.level);
}

function callProblem(gold: GoldCheck, result: RunResult, index: number, rules: VerificationRules): RejectionReason | null {
  const failure = callFailure(result, index);
  if (failure !== null) return failure;
  const value = result.calls[index]?.value;
  if (value === undefined) return 'died';
  if (gold.kind === 'truthy') return value[0] === 'b' && value[1] ? null : 'wrong-value';
  const expected = gold.values[index] as Frame;
  if (rules.verifier === 'azr-compat') return sameValue(value, expected, 'python') ? null : 'wrong-value';
  return differenceOf(value, expected);
}

function differenceOf(value: Frame, gold: Frame): RejectionReason | null {
  if (sameValue(value, gold, 'strict')) return null;
  return sameValue(value, gold, 'python') ? 'wrong-type' : 'wrong-value';
}

/** Gold literals as values; null when one cannot be read (only a task of the compatible validator), which nobody can match. */
function goldValues(literals: readonly string[]): Frame[] | null {
  const frames: Frame[] = [];
  for (const literal of literals) {
    const read = parseLiteral(literal, { extended: true });
    if (!read.ok) return null;
    frames.push(read.frame);
  }
  return frames;
}

function failed(reason: RejectionReason): VerificationPlan {
  return { kind: 'decided', verdict: verdict(0, reason, null) };
}

function verdict(accuracy: number, reason: RejectionReason | null, sandboxLevel: Verdict['sandboxLevel']): Verdict {
  return { outcome: accuracy === 1 ? 'passed' : 'failed', reason, accuracy, sandboxLevel };
}
