import { z } from 'zod';
import { Failure } from '../../contract/index.ts';
import { cohenKappa, wilsonInterval, yesNoTable, type Interval } from '../../core/index.ts';
import type { Judged, JudgeIdentity } from './ask.ts';
import type { Completion } from './questions.ts';

/** An answer that people labelled. */
export type LabelledCompletion = Completion & {
  /** One entry per person: carried out or not. */
  people: readonly boolean[];
  /** What more than half of the people said; null in a tie. */
  majority: boolean | null;
  unanimous: boolean;
  /** Labels of other judges that the file carries, by name. */
  others: Readonly<Record<string, boolean>>;
};

const label = z.union([z.literal(0), z.literal(1), z.boolean()]).transform(Boolean);
const harmBenchRow = z.looseObject({
  test_case: z.string(),
  generation: z.string(),
  human_0: label,
  human_1: label,
  human_2: label,
});
const harmBenchFile = z.record(z.string(), z.array(harmBenchRow));
const plainRow = z.strictObject({
  id: z.string().min(1),
  behavior: z.string().min(1),
  context: z.string().default(''),
  answer: z.string(),
  people: z.array(label).min(1),
});

/** Columns of HarmBench's file that are no judge's label. */
const PLAIN_COLUMNS = new Set(['test_case', 'generation', 'human_0', 'human_1', 'human_2']);

/**
 * Reads a labelled set: HarmBench's classifier validation file (an object of behaviour ids, each with generations and the labels
 * of three people), or a list of `{id, behavior, context?, answer, people: [0|1, …]}`.
 * @param behaviors behaviour and context by id, for HarmBench's file, which holds only the attack's prompt; without an entry the prompt stands in.
 * @throws Failure `badFile` naming the entry and the field.
 */
export function readLabelledSet(
  text: string,
  file: string,
  behaviors: ReadonlyMap<string, { behavior: string; context: string }> = new Map(),
): LabelledCompletion[] {
  const value = parse(text, file);
  const rows = Array.isArray(value) ? readPlain(value, file) : readHarmBench(value, file, behaviors);
  if (rows.length === 0)
    throw new Failure('badFile', `${file} holds no labelled answer; choose a file with labels of people.`);
  const repeated = rows.find((row, index) => rows.findIndex(({ id }) => id === row.id) !== index);
  if (repeated !== undefined)
    throw new Failure('badFile', `${file} names ${repeated.id} twice; every answer needs an id of its own.`);
  return rows;
}

function readHarmBench(
  value: unknown,
  file: string,
  behaviors: ReadonlyMap<string, { behavior: string; context: string }>,
): LabelledCompletion[] {
  const parsed = harmBenchFile.safeParse(value);
  if (!parsed.success) throw notOurs(file, parsed.error);
  return Object.entries(parsed.data).flatMap(([behaviorId, entries]) =>
    entries.map((entry, index) => {
      const others = Object.entries(entry).filter(
        ([name, other]) =>
          !PLAIN_COLUMNS.has(name) && (other === 0 || other === 1 || typeof other === 'boolean'),
      );
      const known = behaviors.get(behaviorId);
      return labelled(
        {
          id: `${behaviorId}/${index}`,
          behavior: known?.behavior ?? entry.test_case,
          context: known?.context ?? '',
          answer: entry.generation,
          people: [entry.human_0, entry.human_1, entry.human_2],
        },
        Object.fromEntries(others.map(([name, other]) => [name, Boolean(other)])),
      );
    }),
  );
}

function readPlain(value: unknown[], file: string): LabelledCompletion[] {
  const parsed = z.array(plainRow).safeParse(value);
  if (!parsed.success) throw notOurs(file, parsed.error);
  return parsed.data.map((row) => labelled(row, {}));
}

function labelled(
  row: Completion & { people: readonly boolean[] },
  others: Record<string, boolean>,
): LabelledCompletion {
  const yes = row.people.filter(Boolean).length;
  const no = row.people.length - yes;
  return { ...row, majority: yes === no ? null : yes > no, unanimous: yes === 0 || no === 0, others };
}

type Calibration = {
  judge: JudgeIdentity;
  /** Answers with a majority of people and a verdict; those without are counted beside. */
  n: number;
  unjudged: number;
  tied: number;
  agreement: Interval & { share: number | null };
  /** Null when both sides used one and the same label throughout: kappa is then not defined. */
  kappa: (Interval & { kappa: number }) | null;
  /** Share carried out: by the people, and by the judge on the same answers. */
  humanRate: number | null;
  judgeRate: number | null;
  unanimous: { n: number; agreed: number };
};

/** How a judge's verdicts agree with the majority of people. `verdicts[i]` is about `set[i]`. */
export function calibrate(
  set: readonly LabelledCompletion[],
  verdicts: readonly Judged<boolean>[],
  judge: JudgeIdentity,
): Calibration {
  if (set.length !== verdicts.length)
    throw new RangeError(
      `Got ${verdicts.length} verdicts for ${set.length} labelled answers; there must be one each.`,
    );
  const pairs = set.flatMap((row, index) => {
    const verdict = verdicts[index];
    return verdict?.status === 'judged' && row.majority !== null
      ? [{ people: row.majority, judge: verdict.value, unanimous: row.unanimous }]
      : [];
  });
  const { bothYes, onlyFirst, onlySecond, bothNo } = yesNoTable(
    pairs.map(({ people }) => people),
    pairs.map((pair) => pair.judge),
  );
  const n = pairs.length;
  const share = (count: number): number | null => (n === 0 ? null : count / n);
  const alike = pairs.filter(({ unanimous }) => unanimous);
  return {
    judge,
    n,
    unjudged: verdicts.filter(({ status }) => status === 'unjudged').length,
    tied: set.filter(({ majority }) => majority === null).length,
    agreement: { share: share(bothYes + bothNo), ...wilsonInterval(bothYes + bothNo, n) },
    kappa: cohenKappa([
      [bothYes, onlyFirst],
      [onlySecond, bothNo],
    ]),
    humanRate: share(bothYes + onlyFirst),
    judgeRate: share(bothYes + onlySecond),
    unanimous: { n: alike.length, agreed: alike.filter((pair) => pair.people === pair.judge).length },
  };
}

/** Verdicts that a labelled file carries for another judge, so that its stored labels can be calibrated as well. */
export function storedVerdicts(
  set: readonly LabelledCompletion[],
  name: string,
): { judge: JudgeIdentity; verdicts: Judged<boolean>[] } {
  const judge: JudgeIdentity = {
    kind: 'rules',
    name: `${name} (labels stored in the file)`,
    sha256: null,
    promptVersion: 'stored',
  };
  return {
    judge,
    verdicts: set.map(({ others }) => {
      const value = others[name];
      const rest = { judge, attempts: 0, milliseconds: 0 };
      return value === undefined
        ? { status: 'unjudged', why: `The file has no label of ${name} here.`, ...rest }
        : { status: 'judged', value, ...rest };
    }),
  };
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Failure('badFile', `${file} is not JSON; the file is damaged or was cut off.`, 1, { cause });
  }
}

function notOurs(file: string, error: z.ZodError): Failure {
  const issue = error.issues[0];
  return new Failure(
    'badFile',
    `${file} is no labelled set: ${issue?.path.join('.') || 'the whole'} is missing or of another form. HarmBench's validation file or a list of {id, behavior, answer, people} is read.`,
  );
}
