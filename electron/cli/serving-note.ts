import { readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../contract/index.ts';
import { linkTo } from '../hosts/index.ts';
import { writeWholeFile } from '../library/index.ts';

const noteSchema = z.object({ pid: z.int().positive(), url: z.url(), token: z.string().min(1) });
export type ServingNote = z.infer<typeof noteSchema>;

/** Beside the database, readable by its owner only: it lets other programs of this person reach the lab that is open. */
const placeOf = (labFolder: string): string => join(labFolder, 'serving.json');

/** Leaves a note of where the lab is served while `use` runs. */
export async function withServingNote<T>(
  labFolder: string,
  { url, token }: { url: string; token: string },
  use: () => Promise<T>,
): Promise<T> {
  const place = placeOf(labFolder);
  const note: ServingNote = { pid: process.pid, url, token };
  writeWholeFile(place, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  try {
    return await use();
  } finally {
    rmSync(place, { force: true });
  }
}

/** @throws Failure `notServed` when no program serves the lab now. */
export function readServingNote(labFolder: string): ServingNote {
  try {
    const note = noteSchema.parse(JSON.parse(readFileSync(placeOf(labFolder), 'utf8')));
    process.kill(note.pid, 0); // a program that was killed leaves its note behind
    return note;
  } catch (cause) {
    throw new Failure(
      'notServed',
      `No window is served for the lab ${labFolder}; start one with "anchor serve".`,
      2,
      { cause },
    );
  }
}

const ANSWER_MS = 10_000;
const answerSchema = z.object({ token: z.string() });

/**
 * A one-time address of the window that another program serves for this lab.
 * @param place as in the window's own address after the #, with or without its first slash; empty for the start.
 * @throws Failure `notServed`.
 */
export async function askLink(labFolder: string, place: string): Promise<string> {
  const note = readServingNote(labFolder);
  return linkTo(
    note.url,
    await askTicket(note),
    place === '' ? undefined : `/${place.replace(/^[#/]+/, '')}`,
  );
}

function askTicket({ url, token }: ServingNote): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(
        new Failure(
          'notServed',
          `The window at ${url} does not answer; start it again with "anchor serve".`,
          1,
          { cause },
        ),
      );
    const asked = request(
      `${url}/ticket`,
      { method: 'POST', timeout: ANSWER_MS, headers: { authorization: `Bearer ${token}` } },
      (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (part: string) => {
            text += part;
          })
          .on('error', fail)
          .on('end', () => {
            if (response.statusCode === 200) resolve(answerSchema.parse(JSON.parse(text)).token);
            else fail(new Error(`status ${response.statusCode}`));
          });
      },
    );
    asked
      .on('error', fail)
      .on('timeout', () => asked.destroy(new Error('no answer in time')))
      .end();
  });
}
