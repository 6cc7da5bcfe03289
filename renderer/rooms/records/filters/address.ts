import { z } from 'zod';
import {
  phaseSchema,
  recordFilterSchema,
  searchPlaceSchema,
  type Phase,
  type RecordFilter,
} from '../../../../electron/contract/index.ts';

const { shape } = recordFilterSchema;

/** The place of the room in its address. What does not fit is left out, so that a wrong link still opens. */
export const recordsSearchSchema = z.object({
  record: z.string().optional().catch(undefined),
  /** The phase of the record that is scrolled to. */
  phase: phaseSchema.optional().catch(undefined),
  from: z.coerce.number().pipe(shape.fromStep.unwrap()).optional().catch(undefined),
  to: z.coerce.number().pipe(shape.toStep.unwrap()).optional().catch(undefined),
  batch: shape.batch.catch(undefined),
  role: shape.role.catch(undefined),
  taskType: shape.taskType.catch(undefined),
  outcome: shape.outcome.catch(undefined),
  reviewed: shape.reviewed.catch(undefined),
  issue: shape.issue.catch(undefined),
  reviewedPhase: shape.phase.catch(undefined),
  decision: shape.decision.catch(undefined),
  leak: shape.leak.catch(undefined),
  q: z.coerce.string().max(400).optional().catch(undefined),
  in: searchPlaceSchema.optional().catch(undefined),
  /** Shows the records most like this one instead of the list. */
  similar: z.string().optional().catch(undefined),
  view: z.enum(['rendered', 'raw']).catch('rendered'),
  focus: z.literal(true).optional().catch(undefined),
  /** Shows the context of the record's next step. */
  context: z.literal(true).optional().catch(undefined),
});
export type RecordsSearch = z.output<typeof recordsSearchSchema>;

/** Conditions of a filter and what each is called in an address. */
const NAMES = {
  fromStep: 'from',
  toStep: 'to',
  taskType: 'taskType',
  batch: 'batch',
  role: 'role',
  outcome: 'outcome',
  reviewed: 'reviewed',
  phase: 'reviewedPhase',
  decision: 'decision',
  leak: 'leak',
  issue: 'issue',
} as const satisfies Record<keyof RecordFilter, keyof RecordsSearch>;
export type FilterKey = keyof typeof NAMES;
export const FILTER_KEYS = Object.keys(NAMES) as FilterKey[];

/** The filter part of an address; conditions without a value are absent, so that equal filters are equal texts. */
export function filterOf(search: RecordsSearch): RecordFilter {
  return Object.fromEntries(
    FILTER_KEYS.flatMap((key) => (search[NAMES[key]] === undefined ? [] : [[key, search[NAMES[key]]]])),
  );
}

/** Conditions as a part of an address; one that is named without a value is lifted. */
export function searchOf(filter: Partial<RecordFilter>): Partial<RecordsSearch> {
  return Object.fromEntries(Object.entries(filter).map(([key, value]) => [NAMES[key as FilterKey], value]));
}

/** An address part that lifts every condition. */
export const NO_FILTER: Partial<RecordsSearch> = {
  ...searchOf(Object.fromEntries(FILTER_KEYS.map((key) => [key, undefined]))),
  q: undefined,
  in: undefined,
  similar: undefined,
};

/** `3/pred_code_o/1#plan` is a review of a record: the record, and the phase to scroll to. */
export function recordOfLink(link: string): { record: string; phase: Phase | undefined } {
  const [record = '', phase] = link.split('#');
  return { record, phase: phaseSchema.safeParse(phase).data };
}
