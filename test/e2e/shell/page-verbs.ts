import type { Page } from 'playwright-core';
import type { AnchorBridge } from '../../../electron/contract/index.ts';

/** A connection that the shell's guard refuses is told nothing, so that it would wait for ever. */
const ANSWER_MS = 60_000;
/** The guard lets a page open two connections a second in the long run, and every question here is one. */
const ASK_AGAIN_MS = 700;

/** Asks a verb of the engine through the page's bridge, as its own client does: tRPC's protocol over one connection. */
export async function askVerb<T>(
  page: Page,
  method: 'query' | 'mutation',
  path: string,
  input?: unknown,
): Promise<T> {
  return page.evaluate(
    ([kind, verb, given, limitMs]) =>
      new Promise<T>((resolve, reject) => {
        setTimeout(() => reject(new Error(`${verb} was not answered`)), limitMs);
        const { anchor } = globalThis as unknown as { anchor: AnchorBridge };
        const connection = anchor.connect((event, data) => {
          if (event === 'open')
            connection.send(JSON.stringify({ id: 1, method: kind, params: { path: verb, input: given } }));
          if (event === 'close') reject(new Error('the connection was closed'));
          if (event !== 'message') return;
          const { result, error } = JSON.parse(data ?? '') as {
            result?: { data: T };
            error?: { message: string };
          };
          connection.close();
          if (error === undefined) resolve(result?.data as T);
          else reject(new Error(error.message));
        });
      }),
    [method, path, input, ANSWER_MS] as const,
  );
}

/** Asks again until the answer is as wanted. */
export async function until<T>(
  ask: () => Promise<T>,
  isWanted: (answer: T) => boolean,
  withinMs: number,
): Promise<T> {
  const end = Date.now() + withinMs;
  for (;;) {
    const answer = await ask();
    if (isWanted(answer)) return answer;
    if (Date.now() > end) throw new Error(`still not as wanted: ${JSON.stringify(answer).slice(0, 600)}`);
    await new Promise((resolve) => {
      setTimeout(resolve, ASK_AGAIN_MS);
    });
  }
}
