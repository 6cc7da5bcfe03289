import type { PhaseItem, ReviewAnswer } from '../../../contract/index.ts';
import { itemFacts, type ParsedProgram } from '../../facts/index.ts';
import { isIssue, ISSUES, MAX_ISSUES, NO_ISSUE_FEEDBACK } from '../issues.ts';
import { found } from './bounded-search.ts';
import type { Checklist, ChecklistRule, Condition, TextField } from './rules.ts';

/** Characters of a text that patterns are tried on: far more than a policy writes. */
const SEARCHED_CHARACTERS = 20_000;

/**
 * Applies the rules in their order. Those that hold name the issues, the first one words the feedback, and one that asks for a
 * retry is enough for it. The same item always gets the same answer.
 */
export function applyChecklist(
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
