import { asData, sha256Hex, rolloutSeed } from '../../core/index.ts';
import { Failure, type FailureKind } from '../../contract/index.ts';
import type { SupervisorReview, SupervisorReviewResult } from '../../processes/index.ts';
import type { Rubric } from './rubrics.ts';
import type { Judged, JudgeIdentity } from './verdict.ts';

/** Texts between marks that none of them contains. */
export type Fenced = { mark: string; blocks: Record<string, string>; shown: Record<string, string> };

/**
 * Material for a judge, made data: invisible characters and role markers tamed, length capped, every line marked, and the whole
 * between delimiters drawn from the seed and the material itself, so that no text can hold them by intent. `shown` is what the
 * judge reads of each text, without the marks of lines; spans of evidence are looked for in it.
 * @param texts named texts; @param limit characters of each.
 */
export function fence(texts: Record<string, string>, limit: number, seed: number): Fenced {
  const shown = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, asData(text, limit)]));
  const mark = freshMark(Object.values(shown), seed);
  const blocks = Object.fromEntries(
    Object.entries(shown).map(([name, text]) => [
      name,
      `<<${mark} ${name}>>\n${text
        .split('\n')
        .map((line) => `| ${line}`)
        .join('\n')}\n<<${mark} end>>`,
    ]),
  );
  return { mark, blocks, shown };
}

function freshMark(texts: readonly string[], seed: number): string {
  for (let attempt = 0; ; attempt += 1) {
    const mark = sha256Hex(`fence/${seed}/${attempt}/${texts.join('\n')}`).slice(0, 12);
    if (!texts.some((text) => text.toLowerCase().includes(mark))) return mark;
  }
}

/** The one thing a judge needs of the process of a GGUF model. */
export type JudgePort = {
  review(request: SupervisorReview, signal?: AbortSignal): Promise<SupervisorReviewResult>;
};

export type ModelJudge = {
  port: JudgePort;
  /** Name and SHA-256 of the model's file, for the verdicts. */
  model: { name: string; sha256: string };
  seed: number;
  /** Characters shown of each text; about a quarter as many tokens. */
  shownCharacters?: number;
  timeoutMs?: number;
};

/** A first, greedy answer and two more, each with another seed and able to come out differently. */
export const MOST_ATTEMPTS = 3;
const RETRY_TEMPERATURE = 0.7;
const SEED_RANGE = 2 ** 32; // seeds of the process are 32-bit
const SHOWN_CHARACTERS = 8_000;
const TIMEOUT_MS = 180_000; // a large judge on a slow machine takes minutes for a long answer
/** Below this a text says too little to be judged. */
const FEWEST_CHARACTERS = 200;

export type JudgeQuestion<Value> = {
  /** Names the item; with the judge's seed it fixes every draw. */
  id: string;
  wording: Rubric;
  /** Our own words for this item, outside the fences. */
  rules?: string;
  texts: Record<string, string>;
  schema: Record<string, unknown>;
  maxTokens: number;
  /** Reads the answer strictly; null for anything that is no verdict. `shown` is what was shown of each text. */
  read: (value: unknown, shown: Record<string, string>) => Value | null;
};

/** How a judge that is this model under this rubric is known. */
export function identityOf({ model }: Pick<ModelJudge, 'model'>, rubric: Rubric): JudgeIdentity {
  return { kind: 'gguf', name: model.name, sha256: model.sha256, promptVersion: rubric.version };
}

/** The request of one attempt. */
export function judgeRequest<Value>(
  judge: Pick<ModelJudge, 'seed' | 'timeoutMs'>,
  question: JudgeQuestion<Value>,
  attempt: number,
  limit: number,
): { request: SupervisorReview; shown: Record<string, string> } {
  const seed = rolloutSeed(judge.seed, 'judge', question.wording.name, question.id, attempt);
  const { blocks, shown } = fence(question.texts, limit, seed);
  const user = [
    ...Object.values(blocks),
    ...(question.rules === undefined ? [] : [question.rules]),
    question.wording.question,
  ].join('\n\n');
  const request = {
    system: question.wording.system,
    user,
    schema: question.schema,
    maxTokens: question.maxTokens,
    seed: seed % SEED_RANGE,
    temperature: attempt === 0 ? 0 : RETRY_TEMPERATURE,
    timeoutMs: judge.timeoutMs ?? TIMEOUT_MS,
  };
  return { request, shown };
}

/**
 * One verdict by a model whose answer a grammar holds to the schema; at most three attempts, then unjudged. A material that does
 * not fit the model's window is shown shorter, which costs no attempt. @throws what means that no item can be judged (no model
 * loaded, a broken process), and the signal's reason when it is aborted.
 */
export async function askJudge<Value>(
  judge: ModelJudge,
  question: JudgeQuestion<Value>,
  signal: AbortSignal,
): Promise<Judged<Value>> {
  const identity = identityOf(judge, question.wording);
  let limit = judge.shownCharacters ?? SHOWN_CHARACTERS;
  let [attempts, milliseconds, why] = [0, 0, ''];
  while (attempts < MOST_ATTEMPTS) {
    signal.throwIfAborted();
    const { request, shown } = judgeRequest(judge, question, attempts, limit);
    try {
      const reply = await judge.port.review(request, signal);
      attempts += 1;
      milliseconds += reply.milliseconds;
      const value = question.read(reply.value, shown);
      if (value !== null) return { status: 'judged', value, judge: identity, attempts, milliseconds };
      why = `The judge's answer was no verdict: ${JSON.stringify(reply.text.slice(0, 80))}.`;
    } catch (error) {
      signal.throwIfAborted();
      const kind = kindOf(error);
      if (kind === 'promptTooLong') {
        why = `The material does not fit the judge's window (${(error as Error).message})`;
        if (limit <= FEWEST_CHARACTERS) break;
        limit = Math.max(FEWEST_CHARACTERS, Math.floor(limit / 2));
        continue;
      }
      if (!ITEM_FAULTS.has(kind)) throw error;
      attempts += 1;
      why = (error as Error).message;
    }
  }
  return { status: 'unjudged', why, judge: identity, attempts, milliseconds };
}

/** Faults of one item or one moment; anything else means that nothing can be judged. */
const ITEM_FAULTS: ReadonlySet<FailureKind | null> = new Set<FailureKind>([
  'timeout',
  'processLost',
  'requestKillsProcess',
]);

const kindOf = (error: unknown): FailureKind | null => (error instanceof Failure ? error.kind : null);
