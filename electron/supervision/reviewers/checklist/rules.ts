import { z } from 'zod';
import { phaseSchema, roleSchema, taskTypeSchema, type Phase } from '../../../contract/index.ts';
import type { ExecFacts, OutputFacts, PlanFacts, TaskFacts, ThoughtFacts } from '../../facts/item-facts.ts';
import { isIssue, ISSUES, issuesOf, MAX_FEEDBACK } from '../answers.ts';

/** Keys of every variant of a union. */
type KeysOf<Facts> = Facts extends unknown ? Exclude<keyof Facts, 'kind'> : never;

/** The facts a rule can ask for at each phase: those that are one number, one word or yes and no. */
const FACTS = {
  task: [
    'parses',
    'errorLine',
    'valid',
    'reason',
    'steps',
    'loop',
    'bodyLength',
    'repeatsReference',
    'nearestReference',
    'inputs',
    'distinctInputs',
  ] satisfies KeysOf<TaskFacts>[],
  plan: ['statedSteps', 'statedType', 'statedLoop', 'steps', 'loop'] satisfies KeysOf<PlanFacts>[],
  thought: ['present', 'steps', 'inconsistentStep'] satisfies KeysOf<ThoughtFacts>[],
  output: [
    'formatOk',
    'literal',
    'parses',
    'defines',
    'named',
    'action',
    'late',
  ] satisfies KeysOf<OutputFacts>[],
  exec: ['n', 'passRate', 'invalidRate', 'formatFailureRate', 'timeoutRate'] satisfies KeysOf<ExecFacts>[],
} as const satisfies Record<Phase, string[]>;

/** What the agent wrote or was shown; a batch's statistics have no text. */
const TEXTS = ['plan', 'thought', 'answer', 'program', 'request', 'message'] as const;
export type TextField = (typeof TEXTS)[number];

const pattern = z
  .string()
  .min(1)
  .transform((source, context) => {
    try {
      return new RegExp(source, 'u');
    } catch (cause) {
      context.addIssue({
        code: 'custom',
        message: `"${source}" is no regular expression (${(cause as Error).message})`,
      });
      return z.NEVER;
    }
  });

const textCondition = z
  .strictObject({ text: z.enum(TEXTS), matches: pattern.optional(), lacks: pattern.optional() })
  .refine(
    ({ matches, lacks }) => (matches === undefined) !== (lacks === undefined),
    'a condition on a text needs either "matches" or "lacks"',
  );
const factCondition = z
  .strictObject({
    fact: z.string(),
    below: z.number().optional(),
    above: z.number().optional(),
    is: z.union([z.string(), z.number(), z.boolean()]).optional(),
  })
  .refine(
    ({ below, above, is }) => [below, above, is].some((bound) => bound !== undefined),
    'a condition on a fact needs "below", "above" or "is"',
  );

export type Condition = z.infer<typeof textCondition> | z.infer<typeof factCondition>;

/**
 * Holds when everything it says holds. A text that is absent neither matches nor lacks anything, and a fact that is unknown is
 * nothing. Which of the two it is shows by its first word: a union of both would only say that neither fits.
 */
const conditionSchema = z.looseObject({}).transform((given, context): Condition => {
  const read = ('text' in given ? textCondition : factCondition).safeParse(given);
  if (read.success) return read.data;
  for (const { path, message } of read.error.issues) context.addIssue({ code: 'custom', path, message });
  return z.NEVER;
});

const ruleSchema = z
  .strictObject({
    phase: phaseSchema,
    /** One of the phase's issues, so that what is found can be counted beside other reviewers' and bring its line into the context. */
    issue: z.string(),
    when: z.array(conditionSchema).min(1),
    roles: z.array(roleSchema).min(1).optional(),
    taskTypes: z.array(taskTypeSchema).min(1).optional(),
    /** The sentence of the review; the issue's own when absent. */
    feedback: z.string().trim().min(1).max(MAX_FEEDBACK).optional(),
    /** By the severity of the issue when absent. */
    decision: z.enum(['continue', 'retry']).optional(),
  })
  .superRefine(({ phase, issue, when }, context) => {
    if (!isIssue(issue) || ISSUES[issue].phase !== phase) {
      context.addIssue({
        code: 'custom',
        path: ['issue'],
        message: `"${issue}" is no issue of the ${phase} phase; its issues are ${issuesOf(phase).join(', ')}`,
      });
    }
    when.forEach((condition, index) => {
      if ('fact' in condition && !(FACTS[phase] as readonly string[]).includes(condition.fact)) {
        context.addIssue({
          code: 'custom',
          path: ['when', index, 'fact'],
          message: `"${condition.fact}" is no fact of the ${phase} phase; its facts are ${FACTS[phase].join(', ')}`,
        });
      }
      if ('text' in condition && phase === 'exec') {
        context.addIssue({
          code: 'custom',
          path: ['when', index, 'text'],
          message: 'the exec phase has statistics only, no text',
        });
      }
    });
  });
export type ChecklistRule = z.infer<typeof ruleSchema>;

export const checklistSchema = z.strictObject({
  /** Told in the records in place of a model's name. */
  name: z.string().min(1).max(80),
  rules: z.array(ruleSchema).min(1),
});
export type Checklist = z.infer<typeof checklistSchema>;
