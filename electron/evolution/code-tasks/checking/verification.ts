import type { AzrConfig, EncodedValue, Verdict } from '../../../contract/index.ts';
import { parseLiteral, sameValue } from '../../../core/index.ts';
import type { RunnerCall, RunResult } from '../../../processes/index.ts';
import { callFailure, type RejectionReason } from './reasons.ts';
import { ENTRY } from './program.ts';

/**
 * strict: answers are read as data, values compared on this side of the sandbox, with their types.
 * azr-compat: answers and gold are pasted into expressions that are evaluated (inside the sandbox, unlike the original's
 * trainer process), with Python's ==. An expression counts as an answer, pasted code can force a pass, an answer of several
 * lines always fails, and an output whose class has no literal can never be right.
 */
export type VerificationRules = Pick<AzrConfig, 'verifier' | 'inductionReward'>;

/**
 * What verifying an answer takes. `decided`: nothing to run. `run`: send `job` to the runner and give the result to `judge`;
 * the gold stays in that function, on this side of the sandbox.
 */
export type VerificationPlan =
  | { kind: 'decided'; verdict: Verdict }
  | {
      kind: 'run';
      job: { program: string; entry: typeof ENTRY; calls: RunnerCall[] };
      judge: (result: RunResult) => Verdict;
    };

export const passed = (): VerificationPlan => ({ kind: 'decided', verdict: verdict(1, null, null) });
export const failed = (reason: RejectionReason): VerificationPlan => ({
  kind: 'decided',
  verdict: verdict(0, reason, null),
});

/** Null when the value of a call is right, else why not. */
export type ValueTest = (value: EncodedValue, call: number) => RejectionReason | null;

/** For pasted comparisons. */
export const isTrue: ValueTest = (value) => (value[0] === 'b' && value[1] ? null : 'wrong-value');

/** Compares with the gold of each call. */
export function sameAs(golds: readonly EncodedValue[], verifier: VerificationRules['verifier']): ValueTest {
  if (verifier === 'azr-compat')
    return (value, call) => (sameValue(value, golds[call] as EncodedValue, 'python') ? null : 'wrong-value');
  return (value, call) => differenceOf(value, golds[call] as EncodedValue);
}

export function differenceOf(value: EncodedValue, gold: EncodedValue): RejectionReason | null {
  if (sameValue(value, gold, 'strict')) return null;
  return sameValue(value, gold, 'python') ? 'wrong-type' : 'wrong-value';
}

/** Gold literals as values; null when one cannot be read (only a task of the compatible validator), which nobody can match. */
export function readGolds(literals: readonly string[]): EncodedValue[] | null {
  const values: EncodedValue[] = [];
  for (const literal of literals) {
    const read = parseLiteral(literal, { extended: true });
    if (!read.ok) return null;
    values.push(read.encoded);
  }
  return values;
}

/** `ignoreDied` leaves calls that gave nothing readable out of the share, as the original does. */
export type JudgingRules = { accuracy: AzrConfig['inductionReward']; ignoreDied: boolean };

/** The verdict on a run. Its accuracy is what the reward uses: the share of right calls under 'accuracy', else 0 or 1. */
function judgeCalls(
  result: RunResult,
  calls: number,
  test: ValueTest,
  { accuracy: rule, ignoreDied }: JudgingRules = { accuracy: 'binary', ignoreDied: false },
): Verdict {
  const problems = Array.from({ length: calls }, (_, call) => {
    const failure = callFailure(result, call);
    if (failure !== null) return failure;
    const value = result.calls[call]?.value;
    return value === undefined ? 'died' : test(value, call);
  });
  const counted = ignoreDied ? problems.filter((problem) => problem !== 'died') : problems;
  const right = counted.filter((problem) => problem === null).length;
  const share = counted.length === 0 ? 0 : right / counted.length;
  const accuracy = rule === 'accuracy' ? share : Number(rule === 'any' ? share > 0 : share === 1);
  return verdict(
    accuracy,
    accuracy === 1 ? null : (problems.find((problem) => problem !== null) ?? 'wrong-value'),
    result.level,
  );
}

/** Runs the calls; `test` sees what each returned. */
export const runCalls = (
  program: string,
  calls: RunnerCall[],
  test: ValueTest,
  rules?: JudgingRules,
): VerificationPlan => ({
  kind: 'run',
  job: { program, entry: ENTRY, calls },
  judge: (result) => judgeCalls(result, calls.length, test, rules),
});

function verdict(
  accuracy: number,
  reason: RejectionReason | null,
  sandboxLevel: Verdict['sandboxLevel'],
): Verdict {
  return { outcome: accuracy === 1 ? 'passed' : 'failed', reason, accuracy, sandboxLevel };
}
