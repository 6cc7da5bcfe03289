import { setImmediate as nextTurn } from 'node:timers/promises';
import { join } from 'node:path';
import { z } from 'zod';
import {
  Failure,
  recordFilterSchema,
  savedFilterSchema,
  searchPlaceSchema,
  sentRollout,
  type SavedFilter,
} from '../../contract/index.ts';
import type { Engine } from '../engine.ts';
import { ofPage, ofRun, router, verb } from './verb.ts';
import type { FullRecord, Lab } from '../../store/index.ts';
import { systemMessage, writeExport, type LabFolder } from '../../library/index.ts';
import { lineLives, outcomesAround } from '../../live/index.ts';
import { findingsOf } from '../../supervision/index.ts';

const ofRecord = ofRun.extend({ recordId: z.string().min(1) });
const filtered = { filter: recordFilterSchema.optional() };

/** The run's lab with all its records counted; other verbs get their turn while a large run is counted for the first time. */
async function countedStore(engine: Engine, runId: string) {
  const store = engine.storeOf(runId);
  while (!store.countAhead(runId)) await nextTurn();
  return store;
}

/** Records of a run: page, count, search, read. */
export const recordVerbs = (engine: Engine) =>
  router({
    page: verb
      .input(ofRun.extend(ofPage.shape).extend(filtered))
      .query(({ input }) =>
        engine
          .storeOf(input.runId)
          .pageRollouts(input.runId, input.filter, { cursor: input.cursor, limit: input.limit }),
      ),
    facets: verb
      .input(ofRun.extend(filtered))
      .query(async ({ input }) =>
        (await countedStore(engine, input.runId)).rolloutFacets(input.runId, input.filter),
      ),
    /** Rows `first`, `first + 1`, … of the list under a filter. The beginning of a list is there before anything was counted. */
    rows: verb
      .input(
        ofRun
          .extend(filtered)
          .extend({ first: z.int().nonnegative(), limit: z.int().min(1).max(500).optional() }),
      )
      .query(async ({ input }) => {
        const store =
          input.first === 0 ? engine.storeOf(input.runId) : await countedStore(engine, input.runId);
        return store.recordRows(input.runId, input.filter ?? {}, input.first, input.limit);
      }),
    /** Where a record stands in the list under a filter, counted from 0; null when the filter leaves it out. */
    position: verb
      .input(ofRecord.extend(filtered))
      .query(async ({ input }) =>
        (await countedStore(engine, input.runId)).recordPosition(
          input.runId,
          input.filter ?? {},
          input.recordId,
        ),
      ),
    /** The same item one matching step on or back. */
    inNextStep: verb
      .input(ofRecord.extend(filtered).extend({ direction: z.enum(['next', 'previous']) }))
      .query(async ({ input }) =>
        (await countedStore(engine, input.runId)).recordInNextStep(
          input.runId,
          input.filter ?? {},
          input.recordId,
          input.direction,
        ),
      ),
    find: verb
      .input(
        ofRun.extend(filtered).extend({
          text: z.string().min(1).max(400),
          place: searchPlaceSchema.nullish(),
          limit: z.int().min(1).max(500).optional(),
        }),
      )
      .query(async ({ input }) =>
        (await countedStore(engine, input.runId)).findRecords(
          input.runId,
          input.text,
          input.place ?? null,
          input.filter,
          input.limit,
        ),
      ),
    similar: verb
      .input(ofRecord.extend({ limit: z.int().min(1).max(100).optional() }))
      .query(({ input }) =>
        engine.storeOf(input.runId).similarRecords(input.runId, input.recordId, input.limit),
      ),
    search: verb
      .input(
        z.object({
          /** null searches every run of the lab. */ runId: z.string().min(1).nullable(),
          text: z.string().min(1),
          limit: z.int().max(500).optional(),
        }),
      )
      .query(({ input }) =>
        (input.runId === null ? engine.store : engine.storeOf(input.runId)).searchRecords(
          input.runId,
          input.text,
          input.limit,
        ),
      ),
    get: verb.input(ofRecord).query(({ input }) => {
      const store = engine.storeOf(input.runId);
      const record = store.getRecord(input.runId, input.recordId);
      return record === null
        ? null
        : {
            ...record,
            rollout: sentRollout(record.rollout),
            system: systemMessage(engine.resources, store.requireRun(input.runId).config.policy.promptPack, {
              role: record.rollout.role,
              context: store.getContext(input.runId, record.rollout.step)?.text ?? '',
            }),
          };
    }),
    /** Writes one record with everything said about it into the lab's exports folder. */
    export: verb.input(ofRecord).mutation(({ input }) => {
      const record = engine.storeOf(input.runId).getRecord(input.runId, input.recordId);
      if (record === null)
        throw new Failure('noSuchRecord', `Run "${input.runId}" has no record "${input.recordId}".`, 2);
      return exportRecord(engine.lab, input.runId, record);
    }),
    savedFilters: verb.query(() => savedFilters(engine.store)),
    saveFilter: verb.input(savedFilterSchema).mutation(({ input }) => keepFilter(engine.store, input)),
    forgetFilter: verb
      .input(z.object({ name: z.string() }))
      .mutation(({ input }) => forgetFilter(engine.store, input.name)),
    reviewsOfStep: verb
      .input(ofRun.extend({ step: z.int().positive() }))
      .query(({ input }) => engine.storeOf(input.runId).listReviews(input.runId, input.step)),
    issueCounts: verb.input(ofRun).query(({ input }) => engine.storeOf(input.runId).issueCounts(input.runId)),
    findings: verb
      .input(ofRun)
      .query(({ input }) => findingsOf(engine.storeOf(input.runId).reviewedWork(input.runId))),
    supervisionCost: verb
      .input(ofRun)
      .query(({ input }) => engine.storeOf(input.runId).supervisionCost(input.runId)),
  });

/** Anything that could be a path or upset a file system becomes a dash. */
const asName = (text: string): string => text.replaceAll(/[^\w.-]+/g, '-').slice(0, 80);

/**
 * Writes a record with its reviews and its task as JSON to `exports/` below the lab and returns the file's path. The same record
 * has the same file, which is replaced as a whole. @throws Failure `cannotWrite`.
 */
export function exportRecord(lab: LabFolder, runId: string, record: FullRecord): { path: string } {
  const path = join(lab.root, 'exports', `${asName(runId)}-${asName(record.rollout.id)}.json`);
  writeExport(path, [`${JSON.stringify({ format: 'anchor-record-v1', runId, ...record }, null, 2)}\n`]);
  return { path };
}

const FILTERS = 'app.records.filters';
/** A menu of more could not be read; the oldest has to be removed by the person who knows which. */
const MOST_FILTERS = 50;

/** Filters of records that a person has named, by name. A setting of another shape, as an older program may have left, counts as none. */
export function savedFilters(store: Lab): SavedFilter[] {
  return z.array(savedFilterSchema).safeParse(store.getSetting(FILTERS)).data ?? [];
}

/** Keeps a filter under its name; one of that name is replaced. @throws Failure `tooManyFilters`. */
export function keepFilter(store: Lab, filter: SavedFilter): SavedFilter[] {
  const others = savedFilters(store).filter(({ name }) => name !== filter.name);
  if (others.length >= MOST_FILTERS)
    throw new Failure(
      'tooManyFilters',
      `${MOST_FILTERS} filters are saved already; remove one before you save "${filter.name}".`,
      2,
    );
  const all = [...others, filter].sort((left, right) => (left.name < right.name ? -1 : 1));
  store.setSetting(FILTERS, all);
  return all;
}

/** Removes a filter by name; one that is not there needs no removing. */
export function forgetFilter(store: Lab, name: string): SavedFilter[] {
  const left = savedFilters(store).filter((each) => each.name !== name);
  store.setSetting(FILTERS, left);
  return left;
}

const MOST_CAUSES = 200;

/** The supervision context C_t of a run and where each of its lines came from. */
export const contextVerbs = (engine: Engine) =>
  router({
    get: verb
      .input(ofRun.extend({ step: z.int().positive() }))
      .query(({ input }) => engine.storeOf(input.runId).getContext(input.runId, input.step)),
    lines: verb.input(ofRun).query(({ input }) => engine.storeOf(input.runId).contextLines(input.runId)),
    /** When each line entered, was renewed and left, and why it left. */
    lives: verb.input(ofRun).query(({ input }) => lineLives(engine.storeOf(input.runId), input.runId)),
    /** What came of the steps before and after `at`, the first step under a changed context. */
    around: verb
      .input(ofRun.extend({ at: z.int().positive(), window: z.int().min(1).max(50) }))
      .query(({ input: { runId, at, window } }) => outcomesAround(engine.storeOf(runId), runId, at, window)),
    lineage: verb
      .input(ofRun.extend({ lineId: z.string() }))
      .query(({ input }) => engine.storeOf(input.runId).lineageOf(input.runId, input.lineId, MOST_CAUSES)),
    summaries: verb
      .input(ofRun.extend({ step: z.int().positive() }))
      .query(({ input }) => engine.storeOf(input.runId).listSummaries(input.runId, input.step)),
    /** What the supervisor's model was shown and wrote at the end of a step. */
    wordings: verb
      .input(ofRun.extend({ step: z.int().positive() }))
      .query(({ input }) => engine.storeOf(input.runId).listWordings(input.runId, input.step)),
  });
