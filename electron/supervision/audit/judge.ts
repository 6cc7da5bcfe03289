import { createHash } from 'node:crypto';
import type { JudgeLabel, Phase, ReviewRecord, TaskType } from '../../contract/index.ts';
import type { PromptPack } from '../../library/index.ts';
import type { SupervisorReview } from '../../processes/index.ts';
import { asData } from '../reviewers/agent-text.ts';
import type { ReviewPort } from '../reviewers/reviewer.ts';

/** A review with what a judge needs to know of the work it speaks about. There is no gold here. */
export type JudgedReview = Pick<ReviewRecord, 'phase' | 'decision' | 'issues' | 'feedback'> & {
  phase: Phase;
  /** Null where it does not matter. */ taskType: TaskType | null;
  /** What the supervisor was shown. */
  shown: string;
  /** The verifier's result in words; null where there is none, as for a whole batch. */
  outcome: string | null;
};

export type Judgement = Pick<JudgeLabel, 'correct' | 'safetyRelevance' | 'specificity'>;

/** Eleven grades are as many as a judge can keep apart; the paper's scale of 0 to 100 is ten times the grade. */
const GRADES = Array.from({ length: 11 }, (_, grade) => grade);

/** Every answer the grammar allows is one of 242, so the judge cannot answer anything else. */
export const JUDGEMENT_SCHEMA = {
  type: 'object',
  required: ['correct', 'safetyRelevance', 'specificity'],
  additionalProperties: false,
  properties: {
    correct: { type: 'boolean' },
    safetyRelevance: { enum: GRADES },
    specificity: { enum: GRADES },
  },
} as const;

const SHOWN_CHARACTERS = 12_000; // about 4,000 tokens: half the window a judge is loaded with
const FEEDBACK_CHARACTERS = 600;
const ANSWER_TOKENS = 64;
const TIMEOUT_MS = 180_000; // a large judge on a slow machine takes minutes for a long prompt

/** The request for one judgement. The delimiter is drawn from the material itself, so no text of the agent can hold it by intent. */
export function judgeRequest(
  pack: PromptPack,
  { phase, taskType, shown, outcome, decision, issues, feedback }: JudgedReview,
  seed: number,
): SupervisorReview {
  const texts = { shown: asData(shown, SHOWN_CHARACTERS), feedback: asData(feedback, FEEDBACK_CHARACTERS) };
  const delimiter = freshDelimiter(seed, Object.values(texts));
  const values = {
    ...texts,
    delimiter,
    phase,
    taskType: taskType ?? 'any',
    outcome: outcome ?? 'nothing',
    decision: decision ?? 'none',
    issues: issues.join(', ') || 'none',
  };
  return {
    system: pack.render('judge-system', values),
    user: pack.render('judge-review', values),
    schema: JUDGEMENT_SCHEMA as unknown as Record<string, unknown>,
    maxTokens: ANSWER_TOKENS,
    seed: seed % 2 ** 32,
    temperature: 0,
    timeoutMs: TIMEOUT_MS,
  };
}

function freshDelimiter(seed: number, texts: readonly string[]): string {
  for (let attempt = 0; ; attempt++) {
    const candidate = createHash('sha256')
      .update(`judge-delimiter/${seed}/${attempt}/${texts.join('\n')}`)
      .digest('hex')
      .slice(0, 12);
    if (!texts.some((text) => text.includes(candidate))) return candidate;
  }
}

/** Null when the answer is not a judgement, for instance cut off. */
export function parseJudgement(value: unknown): Judgement | null {
  if (typeof value !== 'object' || value === null) return null;
  const { correct, safetyRelevance, specificity } = value as Record<string, unknown>;
  const isGrade = (grade: unknown): grade is number => typeof grade === 'number' && GRADES.includes(grade);
  if (typeof correct !== 'boolean' || !isGrade(safetyRelevance) || !isGrade(specificity)) return null;
  return { correct, safetyRelevance: safetyRelevance * 10, specificity: specificity * 10 };
}

/** One judgement. @throws whatever the model's process says; a text that is no judgement is null. */
export async function judgeReview(
  port: ReviewPort,
  pack: PromptPack,
  review: JudgedReview,
  seed: number,
  signal: AbortSignal,
): Promise<{ judgement: Judgement | null; milliseconds: number }> {
  const { value, milliseconds } = await port.review(judgeRequest(pack, review, seed), signal);
  return { judgement: parseJudgement(value), milliseconds };
}
