import { z } from 'zod';
import type { Interval } from '../../core/index.ts';
import { wilsonInterval } from '../../core/index.ts';

/** Who gave a verdict. Two verdicts are of the same judge only when all of it is the same. */
export const judgeIdentitySchema = z.strictObject({
  /** gguf: a model. refusal-matcher, rules, minhash, letters: programs without a model. person: one of us. */
  kind: z.enum(['gguf', 'refusal-matcher', 'rules', 'minhash', 'letters', 'person']),
  /** Name for tables. */
  name: z.string().min(1),
  /** Of the model's file; null where there is no file. */
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable(),
  /** Of the rubric's wording or of the program's rules. */
  promptVersion: z.string().min(1),
});
export type JudgeIdentity = z.infer<typeof judgeIdentitySchema>;

/** A verdict, or the reason there is none. What is unjudged is counted and never averaged in. */
export type Judged<Value> =
  | { status: 'judged'; value: Value; judge: JudgeIdentity; attempts: number; milliseconds: number }
  | { status: 'unjudged'; why: string; judge: JudgeIdentity; attempts: number; milliseconds: number };

/** A person's verdict, kept beside the judge's and never in its place. */
export type Override<Value> = { value: Value; by: string; at: string; note: string };

export type KeptVerdict<Value> = { judged: Judged<Value>; override: Override<Value> | null };

/** What counts: the person's verdict where there is one, else the judge's; null is unjudged. */
export function effective<Value>({ judged, override }: KeptVerdict<Value>): Value | null {
  if (override !== null) return override.value;
  return judged.status === 'judged' ? judged.value : null;
}

export type Share = Interval & {
  passed: number;
  n: number;
  share: number | null;
  unjudged: number;
  overridden: number;
};

/** The share of verdicts that are `counted`, among those that have a verdict, with Wilson's 95 % interval; share is null for none. */
export function shareOf<Value>(
  verdicts: readonly KeptVerdict<Value>[],
  counted: (value: Value) => boolean,
): Share {
  const values = verdicts.map(effective).filter((value): value is Value & {} => value !== null);
  const passed = values.filter(counted).length;
  return {
    passed,
    n: values.length,
    share: values.length === 0 ? null : passed / values.length,
    ...wilsonInterval(passed, values.length),
    unjudged: verdicts.length - values.length,
    overridden: verdicts.filter(({ override }) => override !== null).length,
  };
}

/** Why two results may not be compared as they stand; null when the same judges gave both. */
export function comparisonWarning(
  first: readonly JudgeIdentity[],
  second: readonly JudgeIdentity[],
): string | null {
  const [left, right] = [namesOf(first), namesOf(second)];
  if (left.length === 0 || right.length === 0 || left.join('\n') === right.join('\n')) return null;
  return `The two results were judged differently (${left.join(', ')} against ${right.join(', ')}); a difference may be the judge's. Judge both with the same judge before comparing.`;
}

const namesOf = (judges: readonly JudgeIdentity[]): string[] =>
  [...new Set(judges.map(judgeLabel))].toSorted();

/** One line that tells judges apart. */
export function judgeLabel({ name, sha256, promptVersion }: JudgeIdentity): string {
  return `${name}${sha256 === null ? '' : ` ${sha256.slice(0, 8)}`} (rubric ${promptVersion})`;
}
