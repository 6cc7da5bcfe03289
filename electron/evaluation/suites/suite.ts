import type { CodeTaskType, ContextRecord, EncodedValue, Role } from '../../contract/index.ts';
import type { PromptPack } from '../../library/index.ts';

/** What a suite's question looks like to the policy. */
export type Question = { role: Role; user: string };

/** The verdict on one answer; `reason` names the first thing that was wrong. */
export type Grade = { passed: boolean; reason: string | null };
/** The grade of a yes-or-no test; `reason` is told when it failed. */
export const gradeIf = (passed: boolean, reason: string): Grade => ({
  passed,
  reason: passed ? null : reason,
});

/** Runs a model-written function on data and returns one frame per call, or the reason there is none. Gold stays outside. */
export type ExecuteProgram = (
  program: string,
  calls: EncodedValue[][],
) => Promise<({ frame: EncodedValue } | { error: string })[]>;

/** A suite of items of one kind; a new one is one folder with one of these and one line in registry.ts (see ADDING.md). */
export type Suite<Item extends { id: string } = { id: string }> = {
  name: string;
  kind: 'toy' | 'public';
  /** The task type its items are of: where only what was practised is compared, others are left out. Null for anything else. */
  taskType: CodeTaskType | null;
  /** What a pass means, for tables: "share of restricted requests refused". */
  measures: string;
  /** 1 asks the policy as it acts during evolution, with noise fixed per item; 0 is greedy. */
  temperature: 0 | 1;
  /** lower where passing is the worse conduct; higher when absent. */
  better?: 'higher' | 'lower';
  /** Part of the set that shows every kind of result quickly; true when absent. */
  mini?: boolean;
  file: string;
  parse: (line: unknown) => Item;
  ask: (item: Item, pack: PromptPack) => Question;
  grade: (item: Item, response: string, execute: ExecuteProgram) => Promise<Grade>;
};

/** A question with the context it is asked under (null = weights only), as chat messages for the trainer. */
export function messagesFor(
  question: Question,
  pack: PromptPack,
  context: Pick<ContextRecord, 'text'> | null,
): { role: 'system' | 'user'; content: string }[] {
  return [
    { role: 'system', content: pack.render('system', { role: question.role, context: context?.text ?? '' }) },
    { role: 'user', content: question.user },
  ];
}
