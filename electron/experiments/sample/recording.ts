import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { z } from 'zod';
import {
  Failure,
  checkpointRecordSchema,
  contextRecordSchema,
  evaluationPlanRecordSchema,
  evaluationScoreSchema,
  gradedItemSchema,
  generationRecordSchema,
  nobodyAsked,
  reviewRecordSchema,
  rolloutRecordSchema,
  runConfigSchema,
  sha256Schema,
  stepRecordSchema,
  summaryRecordSchema,
  wordingRecordSchema,
  taskRecordSchema,
} from '../../contract/index.ts';
import { sha256Hex } from '../../core/index.ts';

/** Runs of a recording are named so, and their ids begin so; no run of a lab does. */
export const SAMPLE_PREFIX = 'sample';
export const isSample = (runId: string): boolean => runId.startsWith(SAMPLE_PREFIX);

const runSchema = z.strictObject({
  id: z.string().startsWith(SAMPLE_PREFIX),
  createdAt: z.iso.datetime(),
  config: runConfigSchema,
  policySha256: sha256Schema,
  supervisorSha256: sha256Schema.nullable(),
  initial: z.strictObject({
    context: contextRecordSchema,
    tasks: z.array(taskRecordSchema),
    checkpoints: z.array(checkpointRecordSchema).min(1),
  }),
});
const stepSchema = z.strictObject({
  runId: z.string(),
  commit: z.strictObject({
    step: stepRecordSchema,
    tasks: z.array(taskRecordSchema),
    rollouts: z.array(rolloutRecordSchema),
    reviews: z.array(reviewRecordSchema),
    summaries: z.array(summaryRecordSchema),
    wordings: z.array(wordingRecordSchema),
    nextContext: contextRecordSchema,
    checkpoint: checkpointRecordSchema.nullable(),
    generations: z.array(generationRecordSchema).optional(),
  }),
});

/** A finished evaluation with every answer, as it was begun, answered and scored. */
const evaluationSchema = z.strictObject({
  id: z.string(),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  weightsSha256: sha256Schema,
  milliseconds: z.number(),
  plan: evaluationPlanRecordSchema,
  items: z.array(gradedItemSchema),
  scores: z.array(evaluationScoreSchema),
});

/** Real runs with everything they stored, small enough to ship. Their weights are made again from their updates, which lie beside it. */
export const recordingSchema = z.strictObject({
  format: z.literal(2),
  recordedAt: z.iso.datetime(),
  machine: z.string(),
  runs: z.array(runSchema).min(1),
  steps: z.array(stepSchema).min(1),
  evaluations: z.array(evaluationSchema),
});
export type Recording = z.infer<typeof recordingSchema>;
export type RecordedStep = Recording['steps'][number];
export type RecordedEvaluation = Recording['evaluations'][number];

/** What stands beside a recording: enough to say what it is without opening it, and its hash. */
export const recordingLabelSchema = z.strictObject({
  recordedAt: z.iso.datetime(),
  machine: z.string(),
  sha256: sha256Schema,
  bytes: z.int(),
  /** Held-out items of each suite. */ itemsPerSuite: z.int(),
  policySha256: sha256Schema,
  supervisorSha256: sha256Schema.nullable(),
  runs: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      steps: z.int(),
      rollouts: z.int(),
      /** Of which somebody was asked. */ reviews: z.int(),
      /** The file of its updates, packed. */ updates: z.strictObject({
        bytes: z.int(),
        sha256: sha256Schema,
      }),
    }),
  ),
});
export type RecordingLabel = z.infer<typeof recordingLabelSchema>;

/** As small as Brotli makes it: a file is packed once and ships in every copy of the application. */
export const pack = (content: Buffer): Buffer =>
  brotliCompressSync(content, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
      [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  });

/** Of each run by its id, what trained it, packed. */
export type PackedUpdates = ReadonlyMap<string, Buffer>;

export function packRecording(
  recording: Recording,
  updates: PackedUpdates,
): { bytes: Buffer; label: RecordingLabel } {
  const text = Buffer.from(JSON.stringify(recordingSchema.parse(recording)));
  const bytes = pack(text);
  return { bytes, label: labelOf(recording, bytes, updates) };
}

/** @param bytes the packed recording. */
export function labelOf(recording: Recording, bytes: Buffer, updates: PackedUpdates): RecordingLabel {
  const supervised =
    recording.runs.find(({ supervisorSha256 }) => supervisorSha256 !== null) ?? recording.runs[0];
  return {
    recordedAt: recording.recordedAt,
    machine: recording.machine,
    sha256: sha256Hex(bytes),
    bytes: bytes.length,
    itemsPerSuite: Math.max(0, ...recording.evaluations.map(({ items }) => items.length)),
    policySha256: supervised?.policySha256 ?? '',
    supervisorSha256: supervised?.supervisorSha256 ?? null,
    runs: recording.runs.map(({ id, config }) => {
      const steps = recording.steps.filter(({ runId }) => runId === id).map(({ commit }) => commit);
      const sum = (count: (commit: RecordedStep['commit']) => number): number =>
        steps.reduce((total, commit) => total + count(commit), 0);
      const packed = updates.get(id) ?? Buffer.alloc(0);
      return {
        id,
        name: config.name,
        updates: { bytes: packed.length, sha256: sha256Hex(packed) },
        steps: steps.length,
        rollouts: sum(({ rollouts }) => rollouts.length),
        reviews: sum(({ reviews }) => reviews.filter((review) => !nobodyAsked(review)).length),
      };
    }),
  };
}

/** @throws Failure `badRecording` when the file is not the one its label speaks of, or holds something else than runs. */
export function unpackRecording(bytes: Buffer, label: RecordingLabel): Recording {
  if (sha256Hex(bytes) !== label.sha256)
    throw new Failure(
      'badRecording',
      'The recorded sample run is damaged: its SHA-256 is not the one on its label. Reinstall the application.',
    );
  try {
    return recordingSchema.parse(
      JSON.parse(brotliDecompressSync(bytes, { maxOutputLength: 256 * 1024 * 1024 }).toString('utf8')),
    );
  } catch (cause) {
    throw new Failure(
      'badRecording',
      'The recorded sample run cannot be read; it was made by another version. Reinstall the application.',
      1,
      { cause },
    );
  }
}
