import { z } from 'zod';
import { sha256Schema } from './names.ts';

/** What loading a model in a process of its own showed; estimates of a run go by it. */
export const modelProbeSchema = z.strictObject({
  sha256: sha256Schema,
  at: z.iso.datetime(),
  loadSeconds: z.number().nonnegative(),
  /** New tokens a second, of `tokens` that were generated. */
  tokensPerSecond: z.number().nonnegative(),
  tokens: z.int().nonnegative(),
  /** Largest resident memory of the process; null where the system does not tell. */
  memoryBytes: z.number().nullable(),
  threads: z.int().positive(),
  device: z.string(),
});
export type ModelProbe = z.infer<typeof modelProbeSchema>;

/** A file of tasks or test items that the lab knows by its hash. */
export const datasetRecordSchema = z.strictObject({
  name: z.string().min(1),
  /** `tasks` (what a run with a fixed set solves), `pressure` (rewarded prompts, in the spelling that labs store), or the name of the suite whose items they are. */
  kind: z.string().min(1),
  path: z.string(),
  sha256: sha256Schema,
  bytes: z.int(),
  rows: z.int(),
  addedAt: z.iso.datetime(),
});
export type DatasetRecord = z.infer<typeof datasetRecordSchema>;

/** How often the lab is backed up while it is open, null for never; and how many of these backups stay. */
export const backupScheduleSchema = z.strictObject({
  everyHours: z.int().min(1).max(8760).nullable(),
  keep: z.int().min(1).max(100),
});
export type BackupSchedule = z.infer<typeof backupScheduleSchema>;
export const DEFAULT_BACKUP_SCHEDULE: BackupSchedule = { everyHours: 24, keep: 3 };

/** How a person wants the window; kept in the lab, so that every window onto it looks the same. */
export const preferencesSchema = z.strictObject({
  theme: z.enum(['auto', 'light', 'dark']),
  textSize: z.enum(['normal', 'large', 'larger', 'largest']),
  /** `system` follows the operating system's wish for less motion. */
  motion: z.enum(['system', 'reduced']),
  /** Underlines links and marks states by patterns beside colours. */
  marks: z.enum(['normal', 'strong']),
  language: z.enum(['en']),
});
export type Preferences = z.infer<typeof preferencesSchema>;
export const DEFAULT_PREFERENCES: Preferences = {
  theme: 'auto',
  textSize: 'normal',
  motion: 'system',
  marks: 'normal',
  language: 'en',
};

/** Of what a lab holds; a value that this program does not know, or that is not there, is the default. */
export const preferencesOf = (stored: unknown): Preferences => {
  const held = z.record(z.string(), z.unknown()).safeParse(stored).data ?? {};
  const known = Object.entries(preferencesSchema.shape).flatMap(([name, schema]) => {
    const { data } = schema.safeParse(held[name]);
    return data === undefined ? [] : [[name, data]];
  });
  return { ...DEFAULT_PREFERENCES, ...Object.fromEntries(known) };
};
