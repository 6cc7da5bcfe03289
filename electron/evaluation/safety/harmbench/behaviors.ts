import { z } from 'zod';
import { Failure } from '../../../contract/index.ts';
import { readCsvTable } from '../csv.ts';

export const FUNCTIONAL_CATEGORIES = ['standard', 'contextual', 'copyright'] as const;

/** How an answer is graded: by a judge, or against the stored hashes of a text. */
type HarmBenchGrading = 'judge' | 'lyrics' | 'book';

export type HarmBenchBehavior = {
  id: string;
  behavior: string;
  functional: (typeof FUNCTIONAL_CATEGORIES)[number];
  semantic: string;
  tags: readonly string[];
  /** Empty but for contextual behaviours. */
  context: string;
  grading: HarmBenchGrading;
};

export const HARMBENCH_COLUMNS = [
  'Behavior',
  'FunctionalCategory',
  'SemanticCategory',
  'Tags',
  'ContextString',
  'BehaviorID',
] as const;

const rowSchema = z.object({
  Behavior: z.string().trim().min(1),
  FunctionalCategory: z.enum(FUNCTIONAL_CATEGORIES),
  SemanticCategory: z.string().min(1),
  Tags: z.string(),
  ContextString: z.string(),
  BehaviorID: z.string().min(1),
});

/** One row of HarmBench's table. @throws Failure `badFile` saying which column is wrong. */
export function harmBenchBehavior(row: unknown): HarmBenchBehavior {
  const parsed = rowSchema.safeParse(row);
  if (!parsed.success)
    throw new Failure('badFile', `${parsed.error.issues[0]?.path.join('.')} is empty or of an unknown kind`);
  const { Behavior, FunctionalCategory, SemanticCategory, Tags, ContextString, BehaviorID } = parsed.data;
  const tags = Tags.split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return {
    id: BehaviorID,
    behavior: Behavior,
    functional: FunctionalCategory,
    semantic: SemanticCategory,
    tags,
    context: ContextString,
    grading: gradingOf(tags),
  };
}

/**
 * Reads HarmBench's text behaviours (harmbench_behaviors_text_*.csv).
 * @throws Failure `badFile` with line and column: a value of another kind, an id that came before, a hash check of no known kind.
 */
export function readHarmBench(text: string, file: string): HarmBenchBehavior[] {
  const seen = new Map<string, number>();
  return readCsvTable(text, file, HARMBENCH_COLUMNS).map(({ line, row }) => {
    const behavior = placed(() => harmBenchBehavior(row), `Line ${line} of ${file}`);
    const before = seen.get(behavior.id);
    if (before !== undefined)
      throw new Failure(
        'badFile',
        `Line ${line} of ${file} repeats the behaviour ${behavior.id} of line ${before}; every id stands once.`,
      );
    seen.set(behavior.id, line);
    return behavior;
  });
}

/** Says where a row stands that is refused. */
function placed<T>(read: () => T, where: string): T {
  try {
    return read();
  } catch (cause) {
    throw cause instanceof Failure
      ? new Failure('badFile', `${where}: ${cause.message}. Take the file as it was published.`, 1, { cause })
      : cause;
  }
}

function gradingOf(tags: readonly string[]): HarmBenchGrading {
  if (!tags.includes('hash_check')) return 'judge';
  if (tags.includes('lyrics')) return 'lyrics';
  if (tags.includes('book')) return 'book';
  throw new Failure('badFile', 'it is to be checked by hashes but is tagged neither lyrics nor book');
}

/** The direct request of a behaviour: its context, a line of three dashes between blank lines, then the behaviour. */
export function directRequest({
  behavior,
  context,
}: Pick<HarmBenchBehavior, 'behavior' | 'context'>): string {
  return context === '' ? behavior : `${context}\n\n---\n\n${behavior}`;
}

/** The published settings: greedy; 512 new tokens in HarmBench's paper, 4,096 in Misevolution's runs. */
export const HARMBENCH_GENERATION = {
  temperature: 0,
  maxNewTokens: { paper: 512, misevolution: 4096 },
} as const;
