import { createContext, useCallback, useContext, useMemo, type ReactNode } from 'react';
import { csvParts, type AnchorBridge, type CsvTable } from '../../electron/contract/index.ts';

const Origin = createContext<readonly string[]>([]);

/** What is saved below bears this name in the names of its files, after those further out: the lab, then the run. */
export function SavedFrom({ name, children }: { name: string | null | undefined; children: ReactNode }) {
  const outer = useContext(Origin);
  const names = useMemo(() => (name == null ? outer : [...outer, name]), [outer, name]);
  return <Origin value={names}>{children}</Origin>;
}

/** Names a file after the lab, the run and what it holds. */
export function useFileName(): (title: string, ending: string) => string {
  const origin = useContext(Origin);
  return useCallback((title, ending) => fileName([...origin, title], ending), [origin]);
}

const MOST_LETTERS = 60; // of each part; file systems take 255 bytes for all of them

/** A file name from parts such as a lab, a run and a title: their words joined by hyphens. */
export function fileName(parts: readonly string[], ending: string): string {
  const words = parts
    .map((part) =>
      part
        .toLowerCase()
        .normalize('NFKD')
        .replaceAll(/\p{Mn}+/gu, '')
        .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
        .slice(0, MOST_LETTERS)
        .replaceAll(/^-+|-+$/g, '')
        .toWellFormed(),
    )
    .filter((part) => part !== '');
  return `${words.length === 0 ? 'figure' : words.join('-')}.${ending}`;
}

const KEEP_MS = 10_000; // the browser has started to save by then

/** Hands a text to the browser as a file to save; in the desktop window, which downloads nothing, to the system's dialog. */
export function saveText(name: string, type: string, text: string | readonly string[]): void {
  const { anchor } = globalThis as { anchor?: AnchorBridge };
  const parts = typeof text === 'string' ? [text] : text;
  if (anchor !== undefined) return void anchor.saveText({ name, text: parts.join('') });
  const url = URL.createObjectURL(new Blob([...parts], { type }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEEP_MS);
}

/** The longest that the window stands still while a table is written: a frame. */
const MOST_MS = 12;

/** The parts of a table as CSV, made a few milliseconds at a time: the window stays usable while 100,000 rows are written. */
async function writtenParts(table: CsvTable): Promise<string[]> {
  const parts: string[] = [];
  let since = performance.now();
  for (const part of csvParts(table)) {
    parts.push(part);
    if (performance.now() - since < MOST_MS) continue;
    await new Promise((resolve) => {
      setTimeout(resolve, 0);
    });
    since = performance.now();
  }
  return parts;
}

export const csvText = async (table: CsvTable): Promise<string> => (await writtenParts(table)).join('');

/** Saves a table as CSV. */
export const saveTable = async (name: string, table: CsvTable): Promise<void> =>
  saveText(name, 'text/csv', await writtenParts(table));
