import { closeSync, openSync, readFileSync, readSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** The licence of a model or data set as its files tell it; `name` is the short form where one is stated. */
export type Licence = { name: string | null; file: string | null; text: string | null };

const TEXT_FILE = /^(licen[cs]e|copying|notice|use_policy)(\.(txt|md))?$/i;
const CARD_FILE = /^readme\.md$/i;
const MOST_TEXT = 200_000; // characters; longer "licences" are something else
const CARD_BYTES = 64 * 1024;

/** Looks for a licence text and for the `license:` line of a model card in a folder. Reads text only; null texts where there is none. */
export function licenceIn(folder: string): Licence {
  const names = readdirSync(folder).sort();
  const file = names.find((name) => TEXT_FILE.test(name)) ?? null;
  const card = names.find((name) => CARD_FILE.test(name));
  return {
    name: card === undefined ? null : statedIn(join(folder, card)),
    file,
    text: file === null ? null : textOf(join(folder, file)),
  };
}

function textOf(path: string): string | null {
  if (statSync(path).size > MOST_TEXT) return null;
  return readFileSync(path, 'utf8');
}

/** The `license:` key in the front matter of a model card. */
function statedIn(card: string): string | null {
  const handle = openSync(card, 'r');
  try {
    const head = Buffer.alloc(CARD_BYTES);
    const text = head.toString('utf8', 0, readSync(handle, head, 0, CARD_BYTES, 0));
    const frontMatter = /^---\r?\n([\s\S]*?)\r?\n---/.exec(text)?.[1] ?? '';
    return /^licen[cs]e(?:_name)?:\s*["']?([\w.+-]+)/m.exec(frontMatter)?.[1] ?? null;
  } finally {
    closeSync(handle);
  }
}
