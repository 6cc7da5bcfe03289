import type {
  ContextLine,
  ContextRecord,
  SummaryRecord,
  SupervisionConfig,
  WordingRecord,
} from '../../contract/index.ts';
import { sha256Hex } from '../../core/index.ts';
import type { GuidanceVocabulary, PromptPack } from '../../library/index.ts';
import {
  guidanceCandidates,
  textCandidates,
  sameLineKey,
  wordedCandidates,
  type Candidate,
} from './candidates.ts';
import { GENERAL_LINES } from '../reviewers/answers.ts';
import { asksForFault, oneOfEach, repeatsDeed } from '../wording/line-checks.ts';
import { withNeutralText } from './neutral-text.ts';

export type ContextUpdate = {
  /** C_t. */
  context: ContextRecord;
  /** Summaries of step t. */
  summaries: readonly SummaryRecord[];
  /** Summaries of step t in the model's words, where a model writes them. */
  wordings?: readonly WordingRecord[];
  /** What people asked for in rated prompts of step t: no words of a review that repeat the deed enter. None when absent. */
  requests?: readonly string[];
  /** The model's choice among the lines that may stand, for a merge by a model; `room` is how many there may be. */
  chooseLines?: (
    lines: readonly ContextLine[],
    room: number,
  ) => Promise<{ lines: readonly ContextLine[]; removed: readonly Removed[] } | null>;
  config: Pick<
    SupervisionConfig,
    | 'summary'
    | 'merge'
    | 'contextTokens'
    | 'contextLines'
    | 'minimumSupport'
    | 'expirySteps'
    | 'contextText'
    | 'fixedContext'
    | 'guidance'
  >;
  vocabulary: GuidanceVocabulary;
  pack: PromptPack;
  /** Tokens of the policy's tokenizer; the same text must always count the same. */
  countTokens: (text: string) => number | Promise<number>;
  /** Steps after `step`, up to the present one, that left the context as it was; none when absent. They make no line older. */
  frozenSince?: (step: number) => number;
};

type Removed = ContextRecord['removed'][number];

/** Reviews kept as the provenance of one line, which may live for hundreds of steps: those that caused it and the newest. */
const KEPT_CAUSES = 10;
const KEPT_RENEWALS = 30;
const provenance = (ids: string[]): string[] =>
  ids.length <= KEPT_CAUSES + KEPT_RENEWALS
    ? ids
    : [...ids.slice(0, KEPT_CAUSES), ...ids.slice(-KEPT_RENEWALS)];

/** C_1: nothing has been reviewed yet. */
export const initialContext = (): ContextRecord => ({
  step: 1,
  hash: sha256Hex(''),
  text: '',
  tokens: 0,
  lines: [],
  removed: [],
});

/** C_1 of a run: the lines that are fixed for all of it, and empty without such. */
export async function firstContext({
  config,
  vocabulary,
  pack,
  countTokens,
}: Pick<ContextUpdate, 'config' | 'vocabulary' | 'pack' | 'countTokens'>): Promise<ContextRecord> {
  const lines = fixedLines(config.fixedContext, vocabulary);
  if (lines.length === 0) return initialContext();
  const text = contextText(pack, lines);
  return { ...initialContext(), hash: sha256Hex(text), text, tokens: await countTokens(text), lines };
}

/** The text of context lines as a system prompt takes it; empty without lines. */
export function contextText(pack: PromptPack, lines: readonly { text: string }[]): string {
  return lines.length === 0
    ? ''
    : pack.render('context', {
        lines: lines.map(({ text }) => pack.render('context-line', { line: text })).join(''),
      });
}

/**
 * C_{t+1} = merge(C_t, F_t) (ANCHOR Eq. 7), by rule: lines enough reviews agree on enter, supported lines are renewed, lines
 * that ask for what reviews call a fault or that nobody supported for `expirySteps` leave, of lines that contradict each other the newer stays, and the newest that fit the
 * budget remain. `enteredStep` is the first step that sees a line, `lastSupportedStep` the step of the last review for it.
 * Fixed lines stand before all others and stay. `text` is what the policy sees, `lines` are what the reviews brought.
 */
export async function updateContext(update: ContextUpdate): Promise<ContextRecord> {
  const { context, config, vocabulary } = update;
  const removed: Removed[] = [];
  const candidates = candidatesOf(update);
  const fixed = context.lines.filter(isFixedLine);
  // What a review calls a fault must not keep alive a line that asks for it.
  const sound = context.lines.filter((line) =>
    keep(line, !asksForWhatIsFound(line, candidates, update.summaries), 'conflict', removed),
  );
  const before = { ...context, lines: sound };
  const renewed = renewedLines(before, candidates).filter((line) => !isFixedLine(line));
  const alive = renewed.filter((line) =>
    keep(line, ageOf(line, update) < config.expirySteps, 'expired', removed),
  );
  const entering = newLines(before, candidates, config.minimumSupport);
  const ordered = [...entering, ...alive].sort(newestFirst(vocabulary));
  const compatible = withoutConflicts(fixed, ordered, vocabulary, removed);
  const own = compatible.slice(fixed.length);
  const chosen =
    update.chooseLines !== undefined
      ? await update.chooseLines(own, Math.max(0, config.contextLines - fixed.length))
      : config.summary === 'model'
        ? oneOfEach(own)
        : null;
  removed.push(...(chosen?.removed ?? []));
  const { lines, tokens } = await withinBudget(
    chosen ? [...fixed, ...chosen.lines] : compatible,
    fixed.length,
    update,
    removed,
  );
  const shown = await shownText(lines, tokens, update);
  return { step: context.step + 1, hash: sha256Hex(shown.text), ...shown, lines, removed };
}

/** Steps since a review last supported the line. */
const ageOf = (
  { lastSupportedStep }: ContextLine,
  { context, frozenSince = () => 0 }: ContextUpdate,
): number => context.step - lastSupportedStep - frozenSince(lastSupportedStep);

function candidatesOf({
  config,
  summaries,
  vocabulary,
  wordings = [],
  requests = [],
}: ContextUpdate): Candidate[] {
  if (config.summary === 'model') return wordedCandidates(wordings);
  return config.merge === 'guidance'
    ? guidanceCandidates(summaries, vocabulary, config.guidance)
    : textCandidates(summaries, (text) => repeatsDeed(text, requests));
}

/** What the policy is shown of the lines: themselves, or neutral text that takes as many tokens. */
async function shownText(
  lines: ContextLine[],
  tokens: number,
  { config, pack, countTokens }: ContextUpdate,
): Promise<Pick<ContextRecord, 'text' | 'tokens'>> {
  const count = async (shown: readonly { text: string }[]): Promise<number> =>
    countTokens(contextText(pack, shown));
  if (config.contextText === 'reviews' || lines.every(isFixedLine))
    return { text: contextText(pack, lines), tokens };
  const neutral = await withNeutralText(lines, isFixedLine, count);
  return { text: contextText(pack, neutral), tokens: await count(neutral) };
}

function keep(line: ContextLine, stays: boolean, reason: Removed['reason'], removed: Removed[]): boolean {
  if (!stays) removed.push({ id: line.id, text: line.text, reason });
  return stays;
}

const same = (line: ContextLine, candidate: Candidate): boolean =>
  line.worded !== undefined && line.worded.topic === candidate.worded?.topic
    ? true
    : candidate.key === null
      ? sameLineKey(line.text) === sameLineKey(candidate.text)
      : line.key === candidate.key;

/** Whether a line of a model's words asks for the very thing that reviews of its own topic call a fault. */
function asksForWhatIsFound(
  line: ContextLine,
  candidates: readonly Candidate[],
  summaries: readonly SummaryRecord[],
): boolean {
  if (line.worded === undefined) return false;
  const candidate = candidates.find(({ worded }) => worded?.topic === line.worded?.topic);
  if (candidate === undefined) return false;
  const ids = new Set(candidate.reviewIds);
  const said = summaries.flatMap(({ points }) =>
    points.flatMap(({ feedback, reviewIds }) => (reviewIds.some((id) => ids.has(id)) ? [feedback] : [])),
  );
  return asksForFault(line.text, said);
}

/** A single review keeps a line alive; entering takes more, unless safety is at stake. */
function renewedLines({ lines, step }: ContextRecord, candidates: Candidate[]): ContextLine[] {
  return lines.map((line) => {
    const candidate = candidates.find((other) => same(line, other));
    if (!candidate) return line;
    const reviewIds = provenance([...new Set([...line.reviewIds, ...candidate.reviewIds])]);
    return { ...line, lastSupportedStep: step, support: candidate.reviewIds.length, reviewIds };
  });
}

function newLines(
  { lines, step }: ContextRecord,
  candidates: Candidate[],
  minimumSupport: number,
): ContextLine[] {
  return candidates
    .filter(
      (candidate) =>
        candidate.reviewIds.length >= (candidate.urgent ? 1 : minimumSupport) &&
        !lines.some((line) => same(line, candidate)),
    )
    .map(({ text, key, reviewIds, worded }, index) => ({
      id: `${step + 1}.${index + 1}`,
      text,
      key,
      enteredStep: step + 1,
      lastSupportedStep: step,
      support: reviewIds.length,
      reviewIds: provenance(reviewIds),
      ...(worded === undefined ? {} : { worded }),
    }));
}

/** By last support, then by how many reviews agreed, then by the vocabulary's order and the text: never by chance. */
function newestFirst(vocabulary: GuidanceVocabulary): (a: ContextLine, b: ContextLine) => number {
  const keys = [...Object.keys(vocabulary.keys), ...Object.keys(GENERAL_LINES)];
  const rank = ({ key }: ContextLine): number => (key === null ? keys.length : keys.indexOf(key));
  return (a, b) =>
    b.lastSupportedStep - a.lastSupportedStep ||
    b.support - a.support ||
    rank(a) - rank(b) ||
    (a.text < b.text ? -1 : 1);
}

function withoutConflicts(
  fixed: ContextLine[],
  lines: ContextLine[],
  { conflicts }: GuidanceVocabulary,
  removed: Removed[],
): ContextLine[] {
  const taken = [...fixed];
  for (const line of lines) {
    const rival = taken.some(
      ({ key }) =>
        key !== null &&
        line.key !== null &&
        conflicts.some((group) => group.includes(key) && group.includes(line.key!)),
    );
    if (keep(line, !rival, 'conflict', removed)) taken.push(line);
  }
  return taken;
}

/**
 * Drops the oldest lines until number and tokens fit; a single line too long for the budget leaves an empty context. The first
 * `fixed` lines take up room like all others but are never dropped.
 */
async function withinBudget(
  lines: ContextLine[],
  fixed: number,
  { config, pack, countTokens }: ContextUpdate,
  removed: Removed[],
): Promise<{ lines: ContextLine[]; tokens: number }> {
  const fitting = lines.filter((line, index) =>
    keep(line, index < Math.max(config.contextLines, fixed), 'budget', removed),
  );
  for (;;) {
    const tokens = fitting.length === 0 ? 0 : await countTokens(contextText(pack, fitting));
    if (tokens <= config.contextTokens || fitting.length === fixed) return { lines: fitting, tokens };
    keep(fitting.pop()!, false, 'budget', removed);
  }
}

const FIXED_ID = /^fixed\.\d+$/;

/** Whether a line was set for the whole run by its configuration; all others come from reviews. */
export const isFixedLine = ({ id }: Pick<ContextLine, 'id'>): boolean => FIXED_ID.test(id);

/** Lines a configuration sets for all steps. Their key is found by their wording, so that no review brings the same line again. */
function fixedLines(texts: readonly string[], vocabulary: GuidanceVocabulary): ContextLine[] {
  return texts.map((text, index) => ({
    id: `fixed.${index + 1}`,
    text,
    key: keyOf(text, vocabulary),
    enteredStep: 1,
    lastSupportedStep: 0,
    support: 0,
    reviewIds: [],
  }));
}

function keyOf(text: string, { keys }: GuidanceVocabulary): string | null {
  return Object.entries(keys).find(([, { phrases }]) => phrases.includes(text))?.[0] ?? null;
}
