import { resolve } from 'node:path';
import { createContext, Script } from 'node:vm';
import { z } from 'zod';
import { Failure, type PhaseItem, type ReviewAnswer } from '../../../contract/index.ts';
import { readText, sha256Hex } from '../../../core/index.ts';
import type { PromptPack } from '../../../library/index.ts';
import { itemFacts } from '../../facts/item-facts.ts';
import type { ParsedProgram } from '../../facts/program-reader.ts';
import { isIssue, ISSUES, MAX_ISSUES, NO_ISSUE_FEEDBACK } from '../answers.ts';
import { reviewPrompt } from '../review-prompt.ts';
import { promptText, type Reviewer, type ReviewerMaker } from '../reviewer.ts';
import {
  checklistSchema,
  type Checklist,
  type ChecklistRule,
  type Condition,
  type TextField,
} from './rules.ts';

const settingsSchema = z.strictObject({
  /** JSON file with the rules; docs/adding.md shows one. */
  rules: z
    .string()
    .min(1)
    .transform((path) => resolve(path)),
});

/**
 * A researcher's own rules as supervisor: conditions on facts and texts, each with the issue it shows and, if wanted, a sentence
 * of its own. It answers at once, so it also tells what an effect of supervision owes to the model that reviews.
 */
export function checklistReviewer(pack: PromptPack, checklist: Checklist): Reviewer {
  return {
    kind: 'checklist',
    model: checklist.name,
    concurrency: 1,
    async review({ item, parsed, seed }, signal) {
      signal.throwIfAborted();
      return {
        answer: applyChecklist(checklist, item, parsed),
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

const MOST_BYTES = 1024 * 1024;

/** @throws Failure `badChecklist` (exit code 2) naming the file and the first thing that is wrong in it. */
export function readChecklist(file: string): { checklist: Checklist; sha256: string } {
  const refused = (why: string, cause?: unknown): Failure =>
    new Failure('badChecklist', `The checklist ${file} ${why}`, 2, { cause });
  let text: string;
  try {
    text = readText(file, MOST_BYTES);
  } catch (cause) {
    throw refused(`could not be read. ${(cause as Error).message}`, cause);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw refused(`is not valid JSON: ${(cause as Error).message}.`, cause);
  }
  const read = checklistSchema.safeParse(json);
  if (read.success) return { checklist: read.data, sha256: sha256Hex(text) };
  const [issue] = read.error.issues;
  throw refused(
    `cannot be used: ${[issue?.path.join('.'), issue?.message].filter(Boolean).join(': ')}. Correct the file.`,
    read.error,
  );
}

export const checklist: ReviewerMaker = {
  kind: 'checklist',
  startable: true,
  settings: settingsSchema,
  async make({ policy, supervision }, { pack }) {
    const { rules } = settingsSchema.parse(supervision.reviewerSettings ?? {});
    const read = readChecklist(rules);
    return { reviewer: checklistReviewer(pack(policy.promptPack), read.checklist), sha256: read.sha256 };
  },
};

/** Characters of a text that patterns are tried on: far more than a policy writes. */
const SEARCHED_CHARACTERS = 20_000;

/**
 * Applies the rules in their order. Those that hold name the issues, the first one words the feedback, and one that asks for a
 * retry is enough for it. The same item always gets the same answer.
 */
function applyChecklist(
  { rules }: Checklist,
  item: PhaseItem,
  parsed: ParsedProgram | null = null,
): ReviewAnswer {
  const facts: Readonly<Record<string, unknown>> = itemFacts(item, parsed);
  const holding = rules.filter(
    (rule) => concerns(rule, item) && rule.when.every((condition) => holds(condition, item, facts)),
  );
  const issues = [...new Set(holding.map(({ issue }) => issue))].slice(0, MAX_ISSUES);
  const [first] = holding;
  return {
    decision: holding.some(asksForRetry) ? 'retry' : 'continue',
    issues,
    feedback: first === undefined ? NO_ISSUE_FEEDBACK : (first.feedback ?? ownSentence(first)),
  };
}

function concerns({ phase, roles, taskTypes }: ChecklistRule, item: PhaseItem): boolean {
  return (
    phase === item.phase &&
    (roles?.some((role) => role === item.role) ?? true) &&
    (taskTypes?.includes(item.taskType) ?? true)
  );
}

function holds(condition: Condition, item: PhaseItem, facts: Readonly<Record<string, unknown>>): boolean {
  if ('text' in condition) {
    const text = textOf(item, condition.text)?.slice(0, SEARCHED_CHARACTERS);
    if (text === undefined) return false;
    return condition.matches === undefined
      ? !found(condition.lacks as RegExp, text)
      : found(condition.matches, text);
  }
  const value = facts[condition.fact];
  if (value === null || value === undefined) return false;
  const { below, above, is } = condition;
  return (
    (below === undefined || (typeof value === 'number' && value < below)) &&
    (above === undefined || (typeof value === 'number' && value > above)) &&
    (is === undefined || value === is)
  );
}

function textOf({ plan, thought, answer, task }: PhaseItem, field: TextField): string | undefined {
  const texts: Record<TextField, string | null | undefined> = {
    plan,
    thought,
    answer,
    program: task?.program,
    request: task?.request,
    message: task?.message,
  };
  return texts[field] ?? undefined;
}

function asksForRetry({ issue, decision }: ChecklistRule): boolean {
  return decision === undefined ? isIssue(issue) && ISSUES[issue].severity >= 2 : decision === 'retry';
}

const ownSentence = ({ issue }: ChecklistRule): string => (isIssue(issue) ? ISSUES[issue].feedback : issue);

/** A sound pattern takes far less than a millisecond, so the limit decides nothing but that a run fails instead of hanging. */
const LIMIT_MS = 2000;

const SEARCH = new Script('pattern.test(text)');
const sandbox = createContext({ pattern: /x/, text: '' });

/**
 * Whether a pattern of the user's matches somewhere in a text. Some patterns take longer than anybody waits, `(a+)+$` or
 * `.*.*.*=` on a few hundred characters, and nothing else of this process runs meanwhile; only the virtual machine can end one.
 * @throws Failure `badChecklist` (exit code 2) when it does not come to an end.
 */
function found(pattern: RegExp, text: string): boolean {
  Object.assign(sandbox, { pattern, text });
  try {
    return SEARCH.runInContext(sandbox, { timeout: LIMIT_MS }) as boolean;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw cause;
    throw new Failure(
      'badChecklist',
      `The pattern "${pattern.source}" of the checklist did not come to an end within ${LIMIT_MS / 1000} s on a text of ${text.length} characters; ` +
        'replace repetitions that can match the same characters in several ways, and start a new run.',
      2,
      { cause },
    );
  }
}
