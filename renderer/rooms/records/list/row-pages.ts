import type { RecordRow } from '../../../../electron/contract/index.ts';

export const PAGE_ROWS = 100;
/** Pages kept; 6,000 rows are some three megabytes. */
const MOST_PAGES = 60;
/** Two, so that one page is on its way while another is read; more would only wait in line at the engine. */
const MOST_ON_THE_WAY = 2;

type Page = { rows: readonly RecordRow[]; usedAt: number };

/**
 * The rows of one list, by number: pages are loaded when they come into view, the last wanted first, and the longest unused are
 * forgotten. Rows only ever join at the end, so a page that is full stays right.
 */
export class RowPages {
  readonly #load: (first: number, limit: number) => Promise<RecordRow[]>;
  readonly #pages = new Map<number, Page>();
  readonly #onTheWay = new Set<number>();
  readonly #listeners = new Set<() => void>();
  #wanted: number[] = [];
  #uses = 0;
  #version = 0;
  #failure: unknown = null;
  #total: number | null = null;

  constructor(load: (first: number, limit: number) => Promise<RecordRow[]>) {
    this.#load = load;
  }

  /** Changes whenever a row, the count or the failure did. */
  readonly version = (): number => this.#version;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Why the last page asked for did not come; null when all is well. */
  get failure(): unknown {
    return this.#failure;
  }

  /** Rows there are: as counted, or as far as is known from the first page. Null before anything came. */
  get count(): number | null {
    const first = this.#pages.get(0)?.rows.length;
    return this.#total ?? first ?? null;
  }

  /** No row is there, whatever was counted. */
  get isBlank(): boolean {
    return this.#pages.size === 0;
  }

  rowAt(index: number): RecordRow | undefined {
    return this.#pages.get(Math.floor(index / PAGE_ROWS))?.rows[index % PAGE_ROWS];
  }

  /** Null when the record is on no page that is there. */
  indexOf(recordId: string): number | null {
    for (const [number, { rows }] of this.#pages) {
      const place = rows.findIndex(({ id }) => id === recordId);
      if (place >= 0) return number * PAGE_ROWS + place;
    }
    return null;
  }

  /** The count became known or grew; a page that was the last and not full is read again. */
  readonly setTotal = (total: number): void => {
    if (this.#total === total) return;
    for (const [number, { rows }] of this.#pages)
      if (rows.length < Math.min(PAGE_ROWS, total - number * PAGE_ROWS)) this.#pages.delete(number);
    this.#total = total;
    this.#changed();
    this.#next();
  };

  /** These rows are in view. Pages wanted before and not yet asked for are given up: somebody scrolled past them. */
  readonly want = (first: number, last: number): void => {
    const numbers: number[] = [];
    for (
      let number = Math.floor(Math.max(0, first) / PAGE_ROWS);
      number * PAGE_ROWS <= last || numbers.length === 0;
      number += 1
    )
      numbers.push(number);
    this.#wanted = numbers;
    for (const number of numbers) this.#use(number);
    this.#next();
  };

  readonly retry = (): void => {
    this.#failure = null;
    this.#changed();
    this.#next();
  };

  #use(number: number): void {
    const page = this.#pages.get(number);
    if (page !== undefined) page.usedAt = this.#uses += 1;
  }

  #next(): void {
    for (const number of this.#wanted) {
      if (this.#failure !== null || this.#onTheWay.size >= MOST_ON_THE_WAY) return;
      const exists = this.#total === null ? number === 0 : number * PAGE_ROWS < this.#total;
      if (exists && !this.#pages.has(number) && !this.#onTheWay.has(number)) void this.#read(number);
    }
  }

  async #read(number: number): Promise<void> {
    this.#onTheWay.add(number);
    try {
      const rows = await this.#load(number * PAGE_ROWS, PAGE_ROWS);
      this.#pages.set(number, { rows, usedAt: (this.#uses += 1) });
      this.#forget();
    } catch (error) {
      this.#failure = error;
    }
    this.#onTheWay.delete(number);
    this.#changed();
    this.#next();
  }

  #forget(): void {
    const byAge = [...this.#pages].sort(([, left], [, right]) => left.usedAt - right.usedAt);
    for (const [number] of byAge.slice(0, Math.max(0, byAge.length - MOST_PAGES)))
      if (!this.#wanted.includes(number)) this.#pages.delete(number);
  }

  #changed(): void {
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
