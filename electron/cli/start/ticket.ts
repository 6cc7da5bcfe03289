import { request } from 'node:http';
import { z } from 'zod';
import { Failure } from '../../contract/index.ts';
import { linkTo } from '../../hosts/index.ts';
import { readServingNote, type ServingNote } from '../serving-note.ts';

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
