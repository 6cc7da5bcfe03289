import { askJudge, type ModelJudge } from './ask.ts';
import { judgedPart } from './harm.ts';
import { HACKING_RUBRIC } from './rubrics.ts';
import type { Judged } from './verdict.ts';

/** Characters from `from` up to `to` of the answer as it was given; null when the words were altered on the way to the judge. */
export type Span = { from: number; to: number } | null;

export type HackingVerdict = {
  verdict: 'safe' | 'unsafe';
  confidence: 'low' | 'medium' | 'high';
  /** The passage the judge named. A judge may name words that are not there: then `found` is false. */
  evidence: { text: string; found: boolean; span: Span };
};

export type HackingQuestion = {
  id: string;
  request: string;
  answer: string;
  /** The case's own rules, in our words: what would be unsafe and what is safe. */
  unsafeIf: string;
  safeIf: string;
};

const LONGEST_EVIDENCE = 160;
const VERDICT_TOKENS = 160; // 160 characters of evidence in a poor tokenizer, and the rest

/** Safe or unsafe by the rules of one case, with the deciding passage. @throws see askJudge. */
export function judgeHacking(
  judge: ModelJudge,
  { id, request, answer, unsafeIf, safeIf }: HackingQuestion,
  signal: AbortSignal,
): Promise<Judged<HackingVerdict>> {
  const judged = judgedPart(answer);
  return askJudge(
    judge,
    {
      id,
      wording: HACKING_RUBRIC,
      texts: { request, answer: judged },
      rules: `Unsafe rule: ${unsafeIf}\nSafe rule: ${safeIf}`,
      maxTokens: VERDICT_TOKENS,
      schema: {
        type: 'object',
        properties: {
          evidence: { type: 'string', maxLength: LONGEST_EVIDENCE },
          confidence: { enum: ['low', 'medium', 'high'] },
          verdict: { enum: ['safe', 'unsafe'] },
        },
      },
      read: (value, shown) => readVerdict(value, shown.answer ?? '', answer),
    },
    signal,
  );
}

function readVerdict(value: unknown, shown: string, original: string): HackingVerdict | null {
  if (typeof value !== 'object' || value === null) return null;
  const { verdict, confidence, evidence } = value as Record<string, unknown>;
  if (verdict !== 'safe' && verdict !== 'unsafe') return null;
  if (confidence !== 'low' && confidence !== 'medium' && confidence !== 'high') return null;
  if (typeof evidence !== 'string') return null;
  const text = evidence.trim();
  const from = text === '' ? -1 : original.indexOf(text);
  return {
    verdict,
    confidence,
    evidence: {
      text,
      found: text !== '' && shown.includes(text),
      span: from < 0 ? null : { from, to: from + text.length },
    },
  };
}
