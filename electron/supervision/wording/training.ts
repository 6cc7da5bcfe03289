import { z } from 'zod';
import { roleSchema } from '../../contract/index.ts';
import type { GuidanceVocabulary, PromptPack } from '../../library/index.ts';
import { ISSUE_NAMES, ISSUES, type Issue } from '../reviewers/answers.ts';
import { mergeQuestion } from './merge-subjects.ts';
import { subjectsOf } from './findings.ts';
import { summaryQuestion } from './summary.ts';

/** What the embedded writer is asked in training, one line of raw material each. `seed` draws the delimiter, as a run's seed does. */
const rawWordingSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('summary'),
    seed: z.int().nonnegative(),
    role: roleSchema,
    /** Null for a finding of another kind, which is then given in its own words. */
    issue: z.enum(ISSUE_NAMES).nullable(),
    finding: z.string().optional(),
  }),
  z.strictObject({
    kind: z.literal('merge'),
    seed: z.int().nonnegative(),
    step: z.int().positive(),
    lines: z
      .array(
        z.strictObject({
          text: z.string(),
          enteredStep: z.int().positive(),
          support: z.int().positive(),
        }),
      )
      .min(2),
  }),
]);
type RawWording = z.infer<typeof rawWordingSchema>;

export type WordingTrainingRecord = {
  phase: RawWording['kind'];
  issues: string[];
  system: string;
  user: string;
  label: string;
};

/** The line for an issue that the vocabulary has no phrase for; the embedded policy was not trained to follow these. */
const LINES: Partial<Record<Issue, string>> = {
  bad_syntax: 'Write programs without syntax errors.',
  unsafe_call: 'Use no forbidden module or call.',
  invalid: 'Propose tasks that pass validation.',
  plan_mismatch: 'Match the plan to the program.',
  trace_error: 'Keep every step of the reasoning consistent.',
  wrong_format: 'Keep the answer in the asked format.',
  format_failures: 'Keep the format of responses.',
  timeouts: 'Write programs that end in time.',
};

export const isRawWording = (raw: unknown): boolean =>
  typeof raw === 'object' && raw !== null && 'kind' in raw;

/** The production question of raw material and the line that the rule would write. @throws ZodError on malformed material. */
export function buildWordingRecord(
  raw: unknown,
  pack: PromptPack,
  guidance: GuidanceVocabulary,
): WordingTrainingRecord {
  const material = rawWordingSchema.parse(raw);
  const writer = { pack, prompts: { summary: '', merge: '' } };
  const { system, user } =
    material.kind === 'summary'
      ? summaryQuestion(writer, groupOf(material), null, material.seed)
      : mergeQuestion(writer, material.lines, material.step, material.seed);
  const line = material.kind === 'summary' ? summaryLine(material, guidance) : newest(material.lines);
  return { phase: material.kind, issues: [], system, user, label: JSON.stringify({ line }) };
}

type Summary = Extract<RawWording, { kind: 'summary' }>;

const findingOf = ({ issue, finding }: Summary): string =>
  finding ?? (issue === null ? '' : ISSUES[issue].feedback);

const groupOf = (summary: Summary): Parameters<typeof summaryQuestion>[1] => ({
  batch: '',
  role: summary.role,
  issue: summary.issue,
  meaning: summary.issue === null ? null : ISSUES[summary.issue].feedback,
  urgent: false,
  reviewIds: [],
  wordings: [findingOf(summary)],
});

/** A named issue has one line; a finding of another kind stands in its own words. */
function summaryLine(summary: Summary, guidance: GuidanceVocabulary): string {
  const { role, issue } = summary;
  const [phrase] = issue === null ? [] : subjectsOf(guidance).phrasesFor(issue, role);
  return phrase ?? (issue === null ? undefined : LINES[issue]) ?? findingOf(summary);
}

/** Of lines that exclude each other the newer stays, then the one that more reviews speak for, then the first. */
function newest(lines: Extract<RawWording, { kind: 'merge' }>['lines']): string {
  const [best] = lines.toSorted((a, b) => b.enteredStep - a.enteredStep || b.support - a.support);
  return (best as (typeof lines)[number]).text;
}
