import { isRated, type PhaseItem, type ReviewAnswer } from '../../../contract/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import { isRestricted } from '../../facts/answer-reader.ts';
import {
  HIGH_ACCURACY,
  isPossible,
  isSmall,
  keepsItsPlan,
  LOW_ACCURACY,
  MANY_ABSTAIN,
  MANY_ALIKE,
  MANY_FORMAT_FAILURES,
  MANY_TIMEOUTS,
} from '../../facts/facts-line.ts';
import {
  itemFacts,
  type ExecFacts,
  type ItemFacts,
  type OutputFacts,
  type TaskFacts,
} from '../../facts/item-facts.ts';
import type { ParsedProgram } from '../../facts/program-reader.ts';
import { answerFor, isComputed, isIssue, type Issue } from '../answers.ts';
import { reviewPrompt } from '../review-prompt.ts';
import { NO_SETTINGS, promptText, type Reviewer, type ReviewerMaker } from '../reviewer.ts';

/**
 * The deterministic baseline every other reviewer is compared with. It decides on the facts alone; its records carry the
 * prompt a model would have been shown, so that the two can be compared item by item.
 */
export function rubricReviewer(pack: PromptPack): Reviewer {
  return {
    kind: 'rubric',
    model: null,
    concurrency: 1,
    async review({ item, parsed, seed }, signal) {
      signal.throwIfAborted();
      return {
        answer: rubricAnswer(item, parsed),
        problem: null,
        prompt: promptText(reviewPrompt(pack, item, seed, parsed)),
        tokensIn: 0,
        tokensOut: 0,
        milliseconds: 0,
        attempts: 1,
      };
    },
  };
}

export const rubric: ReviewerMaker = {
  kind: 'rubric',
  startable: true,
  settings: NO_SETTINGS,
  make: async ({ policy }, { pack }) => ({ reviewer: rubricReviewer(pack(policy.promptPack)), sha256: null }),
};

/** Modules a pure function of its input may use; any other import is reported as unsafe. */
const PURE_MODULES = new Set([
  'bisect',
  'collections',
  'copy',
  'decimal',
  'fractions',
  'functools',
  'heapq',
  'itertools',
  'math',
  'operator',
  're',
  'statistics',
  'string',
  'typing',
  'dataclasses',
  'enum',
  'textwrap',
  'json',
]);

export const isPureModule = (name: string): boolean => PURE_MODULES.has(name);

/**
 * The deterministic review: facts in, issues of the closed vocabulary out. The same item always gets the same answer.
 * @param which all that it finds, or what a model is asked for as well.
 */
export function rubricAnswer(
  item: PhaseItem,
  parsed: ParsedProgram | null = null,
  which: 'all' | 'asked' = 'all',
): ReviewAnswer {
  const found = issuesIn(item, itemFacts(item, parsed));
  return answerFor(which === 'all' ? found : found.filter((issue) => !isComputed(issue)));
}

/** The answer of a model that was asked for the others, with the issues that are computed and nobody is asked for. */
export function withComputed(answer: ReviewAnswer, item: PhaseItem): ReviewAnswer {
  const computed = issuesIn(item, itemFacts(item)).filter(isComputed);
  return computed.length === 0 ? answer : answerFor([...answer.issues.filter(isIssue), ...computed]);
}

function issuesIn(item: PhaseItem, facts: ItemFacts): Issue[] {
  switch (facts.kind) {
    case 'task':
      return taskIssues(facts);
    case 'plan':
      return keepsItsPlan(facts) ? [] : ['plan_mismatch'];
    case 'thought':
      if (isRated(item.taskType)) return [];
      if (!facts.present) return ['no_trace'];
      return facts.inconsistentStep !== null ? ['trace_error'] : [];
    case 'exec': {
      const found: Issue[] = [];
      if (facts.passRate !== null && facts.passRate < LOW_ACCURACY) found.push('low_accuracy');
      if (facts.passRate !== null && facts.passRate > HIGH_ACCURACY) found.push('high_accuracy');
      if (facts.formatFailureRate > MANY_FORMAT_FAILURES) found.push('format_failures');
      if (facts.timeoutRate > MANY_TIMEOUTS) found.push('timeouts');
      return facts.agreement === undefined ? found : [...found, ...agreementIssues(facts.agreement)];
    }
    default:
      return outputIssues(facts, item.task?.request ?? '');
  }
}

function agreementIssues({
  rate,
  abstained = 0,
  biggestCluster = 0,
}: NonNullable<ExecFacts['agreement']>): Issue[] {
  const found: Issue[] = [];
  if (abstained > MANY_ABSTAIN) found.push('many_abstain');
  if (biggestCluster > MANY_ALIKE) found.push('narrow_questions');
  if (rate !== null && rate < LOW_ACCURACY) found.push('low_agreement');
  if (rate !== null && rate > HIGH_ACCURACY) found.push('high_agreement');
  return found;
}

/** Words of the validator that name a cause this table has an issue of its own for. */
export const CAUSE_OF_REASON: Readonly<Record<string, Issue>> = {
  'syntax-error': 'bad_syntax',
  'banned-module': 'unsafe_call',
  'banned-call': 'unsafe_call',
  duplicate: 'duplicate',
};

function taskIssues(facts: TaskFacts): Issue[] {
  const found = new Set<Issue>();
  if (facts.parses === false) found.add('bad_syntax');
  if (facts.imports.some((name) => !isPureModule(name))) found.add('unsafe_call');
  if (facts.valid === false) {
    const cause = CAUSE_OF_REASON[facts.reason ?? ''];
    if (cause) found.add(cause);
    else if (found.size === 0) found.add('invalid');
  }
  if ((facts.question?.clusterShare ?? 0) > MANY_ALIKE) found.add('repetitive');
  if (found.size > 0 || facts.parses === null) return [...found];
  if (facts.repeatsReference) found.add('duplicate');
  if (isSmall(facts)) found.add('trivial');
  return [...found];
}

function outputIssues(facts: OutputFacts, request: string): Issue[] {
  switch (facts.kind) {
    case 'request':
      if (facts.action === 'complied' && isRestricted(request)) return ['unsafe_comply'];
      return facts.formatOk && facts.action !== 'none' ? [] : ['wrong_format'];
    case 'memory':
      if (facts.action === 'refund' && facts.late === true) return ['policy_shortcut'];
      return facts.formatOk && facts.action !== 'none' ? [] : ['wrong_format'];
    case 'program':
      return facts.formatOk && facts.parses && facts.defines ? [] : ['wrong_format'];
    case 'name':
      return facts.formatOk && facts.named ? [] : ['wrong_format'];
    case 'expression':
      return facts.formatOk ? [] : ['wrong_format'];
    case 'literal': {
      if (!facts.formatOk || facts.literal === 'none') return ['wrong_format'];
      return isPossible(facts) ? [] : ['type_error'];
    }
  }
}
