import { answerKind, type BatchStatistics, type PhaseItem, type ShownField } from '../../contract/index.ts';
import type { PromptPack } from '../../library/index.ts';
import { factsLine } from '../facts/facts-line.ts';
import { itemFacts } from '../facts/item-facts.ts';
import type { ParsedProgram } from '../facts/program-reader.ts';
import { asData, freshDelimiter } from '../../core/index.ts';

/** What a reviewer model is shown: the frame is ours, the fields are data. There is no gold among the arguments. */
export type ReviewPrompt = { system: string; user: string };

/** Whether a prompt states what was computed, as in every run, or the material alone, to measure what a model finds by itself. */
export type Shown = 'computed' | 'material';

/** Characters per field that keep a prompt inside the embedded supervisor's 1,024 tokens at about three characters a token. */
const COMPACT_LIMITS = { program: 520, short: 200, long: 640 } as const;
/** Real judges have windows of thousands of tokens; a whole review prompt stays below 3,000. */
const FULL_LIMITS = { program: 3000, short: 800, long: 5000 } as const;
type Limits = { program: number; short: number; long: number; keeps: 'first' | 'both' };
const SHOWN_REFERENCES = 2;
const SHOWN_EXAMPLES = 6;

type Field = ShownField;

/** The texts of reviews, and of how many characters the longest field is shown where that is chosen; the others are in proportion. */
export type ReviewPack = PromptPack & { readonly shownCharacters?: number | undefined };

/** The embedded supervisor was trained on how texts begin; of a long thought what it comes to stands at its end. */
function limitsOf(
  { name, shownCharacters }: Pick<ReviewPack, 'name' | 'shownCharacters'>,
  scale = 1,
): Limits {
  const compact = name === 'compact';
  const limits = compact ? COMPACT_LIMITS : FULL_LIMITS;
  const size = compact ? scale : (scale * (shownCharacters ?? FULL_LIMITS.long)) / FULL_LIMITS.long;
  const cut = (limit: number): number => Math.max(40, Math.floor(limit * size));
  return {
    program: cut(limits.program),
    short: cut(limits.short),
    long: cut(limits.long),
    keeps: compact ? 'first' : 'both',
  };
}

/**
 * Renders `review-system` and `review-<phase>` of a pack. Compact packs get bare fields, the form the embedded supervisor was
 * trained on; other packs get each field between delimiters drawn from `seed`, which agent text cannot have foreseen.
 * `scale` shortens every field for a model whose context is too small.
 */
export function reviewPrompt(
  pack: ReviewPack,
  item: PhaseItem,
  seed: number,
  parsed: ParsedProgram | null = null,
  scale = 1,
  shows: Shown = 'computed',
): ReviewPrompt {
  const compact = pack.name === 'compact';
  const fields = shownFields(pack, item, scale);
  const delimiter = compact
    ? ''
    : freshDelimiter(
        fields.map(({ text }) => text),
        (attempt) => `review-delimiter/${seed}/${attempt}`,
      );
  const shown = fields
    .map((field) => (compact ? bareField(field) : fencedField(field, delimiter)))
    .join('\n');
  const values = {
    taskType: item.taskType,
    role: item.role,
    batch: item.batch,
    fields: shown === '' ? '' : `\n${shown}`,
    delimiter,
    facts: shows === 'computed' ? factsText(item, parsed) : uncomputed(item),
  };
  return { system: pack.render('review-system', values), user: pack.render(`review-${item.phase}`, values) };
}

/** What the prompt of a pack shows of an item, piece by piece, and the facts computed of it: for a reviewer who reads a page instead of a prompt. */
export function reviewMaterial(
  pack: Pick<ReviewPack, 'name' | 'shownCharacters'>,
  item: PhaseItem,
  parsed: ParsedProgram | null = null,
): { fields: ShownField[]; facts: string } {
  return { fields: shownFields(pack, item), facts: factsText(item, parsed) };
}

function shownFields(
  pack: Pick<ReviewPack, 'name' | 'shownCharacters'>,
  item: PhaseItem,
  scale?: number,
): ShownField[] {
  const limits = limitsOf(pack, scale);
  const fields = fieldsOf(item, limits);
  return pack.name === 'compact' ? fields : [...fields, ...asWritten(item, limits)];
}

const factsText = (item: PhaseItem, parsed: ParsedProgram | null): string =>
  asData(factsLine(itemFacts(item, parsed)), 400);

/** A batch has nothing to show but its counts; everything else is shown in the fields. */
const uncomputed = ({ statistics }: PhaseItem): string =>
  statistics === null ? 'none' : `none; ${countsText(statistics)}`;

const countsText = ({ n, passed, invalid, formatFailures, timeouts, solveRateHistogram }: BatchStatistics) =>
  [
    `responses ${n}`,
    `passed ${passed}`,
    `invalid ${invalid}`,
    `broken format ${formatFailures}`,
    `out of time ${timeouts}`,
    ...(solveRateHistogram.length === 0
      ? []
      : [`proposals solved by 0, 1, … of ${solveRateHistogram.length - 1}: ${solveRateHistogram.join(' ')}`]),
  ].join('; ');

const bareField = ({ label, text }: Field): string =>
  text.includes('\n') ? `${label}:\n${text}` : `${label}: ${text}`;

const fencedField = ({ label, text }: Field, delimiter: string): string =>
  `<<${delimiter} ${label}>>\n${text}\n<<${delimiter} end>>`;

/** Where the form is broken, the parts above are guesses or missing: what is there to judge is the text itself. */
function asWritten({ phase, formatOk, text, answer }: PhaseItem, limits: Limits): Field[] {
  const written = text ?? answer ?? '';
  if (phase === 'exec' || formatOk || written.trim() === '') return [];
  return [{ label: 'text as written', text: asData(written, limits.long, limits.keeps) }];
}

function fieldsOf(item: PhaseItem, limits: Limits): Field[] {
  const { task } = item;
  const fields: Field[] = [];
  const add = (label: string, text: string | null | undefined, limit: number): void => {
    if (text !== null && text !== undefined && text !== '')
      fields.push({ label, text: asData(text, limit, limits.keeps) });
  };
  if (item.phase === 'exec') return fields;
  if (item.phase === 'task') {
    for (const reference of task?.references.slice(0, SHOWN_REFERENCES) ?? [])
      add('reference', reference, limits.program);
  }
  add('request', task?.request, limits.long);
  add('question', task?.question, limits.long);
  add('program', task?.program, limits.program);
  add('input', task?.inputs.slice(0, SHOWN_EXAMPLES).join(' | '), limits.short);
  add('output', task?.output, limits.short);
  add(
    'examples',
    task?.examples
      .slice(0, SHOWN_EXAMPLES)
      .map(({ input, output }) => `f(${input})=${output}`)
      .join('\n'),
    limits.short * 2,
  );
  add('message', task?.message, limits.short);
  if (item.phase === 'plan') add('plan', item.plan, limits.short);
  if (item.phase === 'thought') add('thought', item.thought, limits.long);
  if (
    item.phase === 'output' ||
    (item.phase === 'plan' && answerKind(item.taskType) === 'program' && item.role === 'solver')
  )
    add('answer', item.answer, limits.program);
  return fields;
}
