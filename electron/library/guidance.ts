import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../contract/index.ts';

const guidanceSchema = z.strictObject({
  comment: z.string(),
  keys: z.record(
    z.string(),
    z.strictObject({ role: z.enum(['proposer', 'solver', 'both']), phrases: z.array(z.string()).min(1) }),
  ),
  conflicts: z.array(z.array(z.string())),
});

/** The lines an embedded policy was trained to follow: key -> phrases (the first one is injected), and keys that exclude each other. */
export type GuidanceVocabulary = Pick<z.infer<typeof guidanceSchema>, 'keys' | 'conflicts'>;

/** @throws Failure `promptPack` when guidance.json is missing or malformed. */
export function loadGuidance(folder: string): GuidanceVocabulary {
  const file = join(folder, 'guidance.json');
  try {
    const { keys, conflicts } = guidanceSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return { keys, conflicts };
  } catch (cause) {
    throw new Failure(
      'promptPack',
      `The guidance vocabulary ${file} could not be read; reinstall the application.`,
      1,
      { cause },
    );
  }
}
