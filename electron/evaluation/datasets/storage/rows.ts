import { createHash, type Hash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';
import { Failure, type DatasetFault, type DatasetRefusal } from '../../../contract/index.ts';
import type { FoundSet } from '../discovery.ts';
import type { KeptRow } from '../kinds/kind.ts';
import { readRows } from '../rows/read-rows.ts';
import { MEBIBYTE, type Row } from '../rows/row.ts';
import { type SourceFile, wholeOf, type Watch } from '../sources/source.ts';

export const ITEMS_FILE = 'items.jsonl';
const WRITTEN_AT_ONCE = 1 << 20;

/** Writes rows as JSON Lines of our own: `{"id": …, "row": …}`, or `"python"` with the row as a text where a strict reader would refuse it. */
export class ItemsWriter {
  readonly #file: FileHandle;
  readonly #hash: Hash = createHash('sha256');
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  bytes = 0;
  rows = 0;

  private constructor(file: FileHandle) {
    this.#file = file;
  }

  static async create(path: string): Promise<ItemsWriter> {
    return new ItemsWriter(await open(path, 'wx'));
  }

  async add({ id, text, isPython }: KeptRow): Promise<void> {
    const line = Buffer.from(
      isPython
        ? `{"id":${JSON.stringify(id)},"python":${JSON.stringify(text)}}\n`
        : `{"id":${JSON.stringify(id)},"row":${text}}\n`,
      'utf8',
    );
    this.rows += 1;
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    if (this.#waitingBytes >= WRITTEN_AT_ONCE) await this.#write();
  }

  /** Everything is on the disk when this resolves. Returns the SHA-256 of the file. */
  async end(): Promise<string> {
    await this.#write();
    await this.#file.sync();
    return this.#hash.digest('hex');
  }

  close(): Promise<void> {
    return this.#file.close();
  }

  async #write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting);
    [this.#waiting, this.#waitingBytes] = [[], 0];
    this.#hash.update(bytes);
    this.bytes += bytes.length;
    for (let at = 0; at < bytes.length;) at += (await this.#file.write(bytes, at)).bytesWritten;
  }
}

/** A line of the file as it was written. Null when it is not of that form. */
export function readItem(line: string): { id: string; text: string; isPython: boolean } | null {
  const quoted = /^\{"id":("(?:[^"\\]|\\.)*"),"(row|python)":/.exec(line);
  if (quoted === null || !line.endsWith('}')) return null;
  const rest = line.slice(quoted[0].length, -1);
  const id = JSON.parse(quoted[1]!) as string;
  return quoted[2] === 'row'
    ? { id, text: rest, isPython: false }
    : { id, text: JSON.parse(rest) as string, isPython: true };
}

const MOST_TOLD = 20;
/** After so many faults a file is not the file it was taken for; counting on helps nobody. */
const MOST_COUNTED = 10_000;

/** Rows that are refused, in the order they were found; nothing is imported when there is one. */
class RefusedRows {
  readonly #faults: DatasetFault[] = [];
  count = 0;

  add(fault: DatasetFault): void {
    this.count += 1;
    if (this.#faults.length < MOST_TOLD) this.#faults.push(fault);
  }

  get report(): DatasetRefusal {
    return { faults: [...this.#faults], count: this.count };
  }
}

/** An import that was refused for its rows: the sentence names the first, `refusal` the others. */
export class RowsRefused extends Failure {
  readonly refusal: DatasetRefusal;

  constructor(refusal: DatasetRefusal) {
    super('badDataset', sentenceOf(refusal), 2);
    this.refusal = refusal;
  }
}

function sentenceOf({ faults: [first], count }: DatasetRefusal): string {
  const where =
    first === undefined ? 'The files' : first.row === null ? first.file : `Row ${first.row} of ${first.file}`;
  const more =
    count > 1
      ? ` ${count >= MOST_COUNTED ? 'Thousands of' : count - 1} more ${count === 2 ? 'row is' : 'rows are'} refused as well.`
      : '';
  return `${where} is refused: ${first?.why ?? 'they hold no rows'}.${more} Nothing was imported; take the file as it was published.`;
}

const SCRIPT_BYTES = 4 * MEBIBYTE;

/** What the text of a hash is: by SHA-256, the id of its row among the imported hashes and what that row says of it. */
export type KnownTexts = ReadonlyMap<string, { id: string; about: Readonly<Record<string, unknown>> }>;

/**
 * The memories and requests among the literals of the script, each known by its hash. All of them must be there, so that a set is
 * the published one or none.
 * @throws Failure `badDataset` (exit code 2) without imported hashes, or naming what is missing.
 */
async function misevolutionRows(
  file: SourceFile,
  known: KnownTexts | null,
  watch: Watch,
): Promise<KeptRow[]> {
  if (known === null)
    throw new Failure(
      'badDataset',
      'Its texts are checked against a manifest of hashes that this lab does not have; import the manifest (MANIFEST.json) first.',
      2,
    );
  const bytes = await wholeOf(file, SCRIPT_BYTES, watch);
  const found = new Map<string, KeptRow>();
  for (const text of textsOfPython(bytes.toString('utf8'))) {
    for (const variant of variantsOf(text)) {
      const entry = known.get(createHash('sha256').update(variant, 'utf8').digest('hex'));
      if (entry !== undefined)
        found.set(entry.id, {
          id: entry.id,
          text: JSON.stringify({ ...entry.about, text: variant }),
          isPython: false,
        });
    }
  }
  const missing = [...known.values()].filter(({ id }) => !found.has(id)).map(({ id }) => id);
  if (missing.length > 0) {
    throw new Failure(
      'badDataset',
      `${file.name} lacks ${missing.length} of the ${known.size} texts of the manifest (${missing.slice(0, 3).join(', ')}${missing.length > 3 ? ', …' : ''}); take the script of the commit that the manifest names.`,
      2,
    );
  }
  return [...known.values()].map(({ id }) => found.get(id)!);
}

const MOST_ROWS = 1_000_000;

/** Takes the rows of a set's files, one file after the other: those that are right are written, the others are noted. */
export class RowKeeper {
  readonly #set: FoundSet;
  readonly #writer: ItemsWriter;
  readonly #known: KnownTexts | null;
  readonly #refused = new RefusedRows();
  /** Where each id stands. */
  readonly #seen = new Map<string, string>();

  constructor(set: FoundSet, writer: ItemsWriter, known: KnownTexts | null) {
    [this.#set, this.#writer, this.#known] = [set, writer, known];
    // A fault of the set as a whole; those of rows are found again below.
    if (set.fault !== null && set.fault.row === null) this.#refused.add(set.fault);
  }

  async keep(file: SourceFile, watch: Watch): Promise<void> {
    if (this.#set.format === 'text') {
      for (const [index, kept] of (await misevolutionRows(file, this.#known, watch)).entries())
        await this.#take(kept, index + 1, file);
      return;
    }
    let index = 0;
    for await (const row of readRows(file, this.#set.format, this.#set.reader, watch)) {
      if (row.fault !== null) this.#refuse(file, row.row, row.fault);
      else await this.#read(row, index, file);
      index += 1;
    }
  }

  /** @throws RowsRefused when any row was refused, or when there was none. */
  end(): void {
    if (this.#refused.count === 0 && this.#writer.rows === 0)
      this.#refused.add({ file: this.#set.files[0]?.name ?? '', row: null, why: 'it holds no rows' });
    if (this.#refused.count > 0) throw new RowsRefused(this.#refused.report);
  }

  async #read(row: Row, index: number, file: SourceFile): Promise<void> {
    let all: KeptRow[];
    try {
      all = this.#set.reader.read(row, { file: file.name, index });
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return this.#refuse(file, row.row, error.message.replace(/[.;]$/, ''));
    }
    for (const kept of all) await this.#take(kept, row.row, file);
  }

  async #take(kept: KeptRow, row: number, file: SourceFile): Promise<void> {
    const earlier = this.#seen.get(kept.id);
    if (earlier !== undefined)
      return this.#refuse(
        file,
        row,
        `it repeats the id ${JSON.stringify(kept.id.slice(0, 80))} of ${earlier}`,
      );
    if (this.#seen.size >= MOST_ROWS)
      throw new Failure('refused', `The set has more than ${MOST_ROWS} rows; no official one has.`, 2);
    this.#seen.set(kept.id, `row ${row}${this.#set.files.length > 1 ? ` of ${file.name}` : ''}`);
    // Nothing will be kept of a set with a refused row, so its other rows are only checked.
    if (this.#refused.count === 0) await this.#writer.add(kept);
  }

  #refuse(file: SourceFile, row: number, why: string): void {
    this.#refused.add({ file: file.name, row, why });
    if (this.#refused.count >= MOST_COUNTED) throw new RowsRefused(this.#refused.report);
  }
}

const PREFIXED = /(?<![\p{L}\p{N}_])([rRbBuUfFtT]{0,2})("""|'''|"|')/uy;
const SPACE_OR_COMMENT = /(?:[ \t\r\n\\]|#[^\n]*)*/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * The texts that stand in a Python source: every plain literal, and literals that follow one another joined, as Python joins them.
 * The source is only read, never run. Texts that are put together at run time (f-strings) and bytes are not among them.
 */
export function textsOfPython(source: string): string[] {
  const text = source.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  const texts: string[] = [];
  let run: string[] = [];
  const endRun = (): void => {
    texts.push(...run);
    if (run.length > 1) texts.push(run.join(''));
    run = [];
  };
  for (let at = 0; at < text.length;) {
    SPACE_OR_COMMENT.lastIndex = at;
    at += SPACE_OR_COMMENT.exec(text)?.[0].length ?? 0;
    PREFIXED.lastIndex = at;
    const begin = PREFIXED.exec(text);
    if (begin === null) {
      endRun();
      at = nextPlace(text, at);
      continue;
    }
    const [whole, prefix = '', quote = '"'] = begin;
    const end = endOfLiteral(text, at + whole.length, quote);
    const body = text.slice(at + whole.length, end);
    if (/[fFbBtT]/.test(prefix)) endRun();
    else run.push(/[rR]/.test(prefix) ? body : unescaped(body));
    at = end + quote.length;
  }
  endRun();
  return texts;
}

/** Past a word or one other character. */
function nextPlace(text: string, at: number): number {
  const word = /[\p{L}\p{N}_]+/uy;
  word.lastIndex = at;
  const found = word.exec(text)?.[0];
  // A word may be the prefix of a literal only when it is short, and then PREFIXED has matched already.
  return at + (found?.length ?? 1);
}

function endOfLiteral(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text.startsWith(quote, at)) return at;
    else if (quote.length === 1 && text[at] === '\n') return at;
  }
  return text.length;
}

function unescaped(body: string): string {
  return body.replace(
    /\\(?:\n|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|([\s\S]))/g,
    (all, two?: string, four?: string, eight?: string, octal?: string, letter?: string) => {
      const hex = two ?? four ?? eight;
      if (hex !== undefined)
        return Number.parseInt(hex, 16) > 0x10ffff ? all : String.fromCodePoint(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return letter === undefined ? '' : (ESCAPES[letter] ?? all);
    },
  );
}

/** A text as its authors may have hashed it: as written, without space around it, and without its common indentation. */
export function variantsOf(text: string): string[] {
  const lines = text.split('\n');
  const indents = lines.filter((line) => line.trim() !== '').map((line) => /^[ \t]*/.exec(line)![0].length);
  const least = indents.length === 0 ? 0 : Math.min(...indents);
  const dedented = lines
    .map((line) => line.slice(Math.min(least, /^[ \t]*/.exec(line)![0].length)))
    .join('\n');
  return [...new Set([text, text.trim(), dedented, dedented.trim()])];
}
