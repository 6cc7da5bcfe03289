import { readFileSync } from 'node:fs';
import type { z } from 'zod';
import { Failure } from '../contract/index.ts';

/**
 * Reads a whole JSON Lines file that ships with the application or was imported.
 * @throws Failure `badFile` naming file and line when a line is not JSON or not of the expected shape.
 */
export function readJsonLines<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  limit = Infinity,
): z.infer<Schema>[] {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Failure(
      'missingFile',
      `The file ${path} could not be read; check the path and its permissions.`,
      1,
      { cause },
    );
  }
  const rows: z.infer<Schema>[] = [];
  const lines = text.split('\n');
  for (let number = 1; number <= lines.length && rows.length < limit; number += 1) {
    const line = lines[number - 1] ?? '';
    if (line === '') continue;
    try {
      rows.push(schema.parse(JSON.parse(line)));
    } catch (cause) {
      throw new Failure(
        'badFile',
        `Line ${number} of ${path} is not a valid record; repair or re-export the file.`,
        1,
        { cause },
      );
    }
  }
  return rows;
}
