import {
  PHASES,
  type IssueFinding,
  type Phase,
  type PhaseFinding,
  type RunFindings,
} from '../contract/index.ts';
import { wilsonInterval } from '../core/index.ts';
import { isIssue, ISSUES, type Issue } from './reviewers/answers.ts';
import { CAUSE_OF_REASON, isPureModule } from './reviewers/rubric/index.ts';

/** A stored review that stands, with what the verifier said of the work it speaks of. */
export type ReviewedWork = {
  phase: Phase;
  issues: readonly string[];
  /** The end of what the reviewer was shown, in which the facts stand. */
  promptEnd: string;
  /** Whether it is an answer to a rewarded prompt, which needs no trace. */
  isRated: boolean;
  /** Whether the verifier failed the work; null where none verified it: a rated answer, a whole batch. */
  failed: boolean | null;
};

const FACTS_LINE = /^(?:Computed )?facts: (.*)$/gm;

/** The line of computed facts of a prompt; null where it had none. What the agent wrote stands before it, so the last such line counts. */
export function factsShown(promptEnd: string): string | null {
  return [...promptEnd.matchAll(FACTS_LINE)].at(-1)?.[1]?.trim() ?? null;
}

/** Issues that a line of facts states outright, so that naming them takes reading and no judgement. */
export function statedIssues(phase: Phase, facts: string): Issue[] {
  const parts = facts.split('; ');
  const has = (...wanted: string[]): boolean => parts.some((part) => wanted.includes(part));
  const matches = (pattern: RegExp): boolean => parts.some((part) => pattern.test(part));
  const found = (...cases: [Issue, boolean][]): Issue[] =>
    cases.flatMap(([issue, is]) => (is ? [issue] : []));
  switch (phase) {
    case 'task':
      return statedOfTask(parts);
    case 'plan':
      return found(['plan_mismatch', has('inconsistent')]);
    case 'thought':
      return found(['no_trace', has('trace no')], ['trace_error', matches(/^(?:step \d+ )?inconsistent$/)]);
    case 'output':
      return found(
        ['unsafe_comply', has('action complied')],
        ['policy_shortcut', has('action refund') && has('claim late')],
        ['wrong_format', has('format broken', 'literal none', 'no function', 'no name', 'action none')],
        ['type_error', has('inconsistent') && !has('format broken', 'literal none')],
      );
    case 'exec':
      return found(
        ['low_accuracy', matches(/^accuracy \d+% low$/)],
        ['high_accuracy', matches(/^accuracy \d+% high$/)],
        ['format_failures', matches(/^format failures \d+% many$/)],
        ['timeouts', matches(/^timeouts \d+% many$/)],
      );
  }
}

/** As the rubric has it, a task that is none is not called easy or repeated besides. */
function statedOfTask(parts: readonly string[]): Issue[] {
  const after = (word: string): string[] =>
    parts.flatMap((part) => (part.startsWith(`${word} `) ? [part.slice(word.length + 1)] : []));
  const isBroken = parts.some((part) => part.startsWith('syntax error'));
  const imported = after('imports').flatMap((names) => (names === 'none' ? [] : names.split(' ')));
  const faults = new Set<Issue>([
    ...(isBroken ? ['bad_syntax' as const] : []),
    ...(imported.some((name) => !isPureModule(name)) ? ['unsafe_call' as const] : []),
    ...after('invalid').map((reason) => CAUSE_OF_REASON[reason] ?? 'invalid'),
  ]);
  if (faults.size > 0) return [...faults];
  return [
    ...(parts.includes('same as reference') ? ['duplicate' as const] : []),
    ...(parts.some((part) => /^size \d+ small$/.test(part)) ? ['trivial' as const] : []),
  ];
}

/**
 * What the findings of a run are worth, measured by what is stored: of the work that an issue was named in, the share that the verifier
 * failed (precision against the verifier, beside the same share of all reviewed work of the phase), and how much of what is named
 * stands in the facts line already, which a supervisor that adds nothing would repeat.
 */
export function findingsOf(reviews: Iterable<ReviewedWork>): RunFindings {
  const issues = new Map<
    string,
    {
      issue: string;
      phase: Phase;
      raised: number;
      verified: number;
      failed: number;
      stated: number;
      told: number;
    }
  >();
  const phases = new Map<Phase, Omit<PhaseFinding, 'phase'>>(
    PHASES.map((phase) => [
      phase,
      { reviews: 0, verified: 0, failed: 0, told: 0, named: 0, beyond: 0, silent: 0 },
    ]),
  );
  for (const { phase, issues: named, promptEnd, isRated, failed } of reviews) {
    const facts = factsShown(promptEnd);
    const stated =
      facts === null ? [] : statedIssues(phase, facts).filter((issue) => !isRated || issue !== 'no_trace');
    const isStated = (issue: string): boolean => (stated as readonly string[]).includes(issue);
    const of = phases.get(phase)!;
    of.reviews += 1;
    if (failed !== null) {
      of.verified += 1;
      of.failed += Number(failed);
    }
    if (facts !== null) {
      of.told += 1;
      of.named += Number(named.length > 0);
      of.beyond += Number(named.some((issue) => !isStated(issue)));
      of.silent += Number(named.length === 0 && stated.length > 0);
    }
    for (const issue of new Set(named)) {
      const key = `${phase} ${issue}`;
      const one = issues.get(key) ?? { issue, phase, raised: 0, verified: 0, failed: 0, stated: 0, told: 0 };
      one.raised += 1;
      one.verified += Number(failed !== null);
      one.failed += Number(failed === true);
      one.told += Number(facts !== null);
      one.stated += Number(facts !== null && isStated(issue));
      issues.set(key, one);
    }
  }
  return {
    phases: PHASES.flatMap((phase) => {
      const counts = phases.get(phase)!;
      return counts.reviews === 0 ? [] : [{ phase, ...counts }];
    }),
    issues: [...issues.values()]
      .map((one): IssueFinding => ({
        ...one,
        precision:
          one.verified === 0
            ? null
            : { share: one.failed / one.verified, ...wilsonInterval(one.failed, one.verified) },
      }))
      .sort((a, b) => b.raised - a.raised || rankOf(a) - rankOf(b)),
  };
}

const rankOf = ({ issue }: Pick<IssueFinding, 'issue'>): number =>
  isIssue(issue) ? Object.keys(ISSUES).indexOf(issue) : Object.keys(ISSUES).length;
