import { lstatSync, readdirSync, type Dirent } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import { openPromise, type Entry, type ZipFile } from 'yauzl';
import { Failure } from '../../../contract/index.ts';
import { lookOf, streamFile } from '../../../core/index.ts';
import { sniffFile } from '../../../library/index.ts';
import { type IgnoredFile, type OpenedPath, type SourceFile, bombIn } from './source.ts';

const PIECE_BYTES = 256 * 1024;
const MOST_FILES = 2000;
const MOST_LEVELS = 12;

/**
 * The files at a path: the file itself, those below a folder, or those in a zip archive. Links below a folder are not followed.
 * @throws Failure `missingFile` or `refused` (exit code 2); an archive with one bad entry is refused as a whole.
 */
export async function openPath(given: string): Promise<OpenedPath> {
  const path = resolve(given);
  const stat = lookOf(path);
  if (stat.isDirectory()) return { path, ...walk(path), close: () => {} };
  if (!stat.isFile())
    throw new Failure(
      'refused',
      `${path} is a device or a pipe; choose a file, a folder or a zip archive.`,
      2,
    );
  // An archive that is called one is read as one also when it is empty, or has a pickle among its files, which is then refused alone.
  if (/\.zip$/i.test(path) || sniffFile(path) === 'zip') return openZip(path);
  return { path, files: [sourceOn(path, basename(path), stat.size)], ignored: [], close: () => {} };
}

function walk(top: string): { files: SourceFile[]; ignored: IgnoredFile[] } {
  const files: SourceFile[] = [];
  const ignored: IgnoredFile[] = [];
  const enter = (folder: string, below: string, level: number): void => {
    for (const entry of entriesOf(folder).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const [path, name] = [join(folder, entry.name), below === '' ? entry.name : `${below}/${entry.name}`];
      if (entry.name.startsWith('.')) continue; // version control and the like
      if (entry.isSymbolicLink()) ignored.push({ name, why: 'it is a link; links are not followed' });
      else if (entry.isDirectory()) {
        if (level >= MOST_LEVELS)
          ignored.push({ name, why: `it lies more than ${MOST_LEVELS} folders deep` });
        else enter(path, name, level + 1);
      } else if (entry.isFile()) files.push(sourceOn(path, name, lstatSync(path).size));
      else ignored.push({ name, why: 'it is a device or a pipe' });
      if (files.length > MOST_FILES)
        throw new Failure(
          'refused',
          `The folder ${top} holds more than ${MOST_FILES} files; choose the folder of the set itself.`,
          2,
        );
    }
  };
  enter(top, '', 1);
  return { files, ignored };
}

export function sourceOn(path: string, name: string, bytes: number): SourceFile {
  return { name, bytes, path, open: async () => streamFile(path, PIECE_BYTES) };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (cause) {
    throw new Failure(
      'missingFile',
      `${folder} cannot be read (${(cause as NodeJS.ErrnoException).code}); check its permissions and that the drive is plugged in.`,
      2,
      { cause },
    );
  }
}

const MOST_ENTRIES = 10_000;
const LOCAL_HEADER_BYTES = 30;
const [STORED, DEFLATED] = [0, 8];
const [TYPE_BITS, REGULAR, FOLDER] = [0o170000, 0o100000, 0o040000];
const [ENCRYPTED, SIZES_FOLLOW] = [0x1, 0x8];
const UNIX = 3;

/**
 * The files of a zip archive, all of whose entries were checked first: names, kinds, sizes, growth, overlaps, and that each entry's
 * own header says what the directory says. One bad entry refuses the archive, since it was made or damaged by someone.
 * @throws Failure `refused` (exit code 2) naming the entry.
 */
async function openZip(path: string): Promise<OpenedPath> {
  const zip = await openPromise(path, {
    lazyEntries: true,
    autoClose: false,
    decodeStrings: true,
    validateEntrySizes: true,
    strictFileNames: true,
  }).catch((error: unknown) => {
    throw damaged(path, error);
  });
  try {
    const entries = await readEntries(zip, path);
    const files = entries.filter(({ fileName }) => !fileName.endsWith('/'));
    for (const entry of files) await checkLocalHeader(zip, entry, path);
    checkOverlaps(files, path);
    return {
      path,
      files: files.map((entry) => sourceOf(zip, entry, path)),
      ignored: [],
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error instanceof Failure ? error : damaged(path, error);
  }
}

async function readEntries(zip: ZipFile, path: string): Promise<Entry[]> {
  if (zip.entryCount > MOST_ENTRIES)
    throw new Failure(
      'refused',
      `The archive ${path} holds ${zip.entryCount} entries, more than ${MOST_ENTRIES}; unpack what you need and choose that folder.`,
      2,
    );
  const entries: Entry[] = [];
  const seen = new Map<string, string>();
  let [packed, unpacked] = [0, 0];
  for await (const entry of zip.eachEntry()) {
    const fault =
      entryFault(entry) ??
      (seen.has(foldedName(entry.fileName))
        ? `it has the same name as ${seen.get(foldedName(entry.fileName))}, at least on some systems`
        : null);
    if (fault !== null) throw refusal(path, entry, fault);
    seen.set(foldedName(entry.fileName), entry.fileName);
    [packed, unpacked] = [packed + entry.compressedSize, unpacked + entry.uncompressedSize];
    const bomb = bombIn(entry.compressedSize, entry.uncompressedSize) ?? bombIn(packed, unpacked);
    if (bomb !== null) throw refusal(path, entry, bomb);
    entries.push(entry);
  }
  return entries;
}

function entryFault(entry: Entry): string | null {
  const name = badEntryName(entry.fileName);
  if (name !== null) return name;
  const isFolder = entry.fileName.endsWith('/');
  const type = (entry.externalFileAttributes >>> 16) & TYPE_BITS;
  // Only systems like Unix write the kind of a file there; zero means it was not written.
  if (entry.versionMadeBy >>> 8 === UNIX && type !== 0 && type !== (isFolder ? FOLDER : REGULAR))
    return 'it is a link or a device, not a file';
  if (isFolder) return entry.uncompressedSize === 0 ? null : 'it is a folder that holds data';
  if ((entry.generalPurposeBitFlag & ENCRYPTED) !== 0) return 'it is encrypted';
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED)
    return `it is packed by method ${entry.compressionMethod}, which is not read`;
  return entry.compressionMethod === STORED && entry.compressedSize !== entry.uncompressedSize
    ? 'its two sizes differ although it is not packed'
    : null;
}

async function checkLocalHeader(zip: ZipFile, entry: Entry, path: string): Promise<void> {
  const local = await zip.readLocalFileHeaderPromise(entry);
  const disagree =
    !local.fileName.equals(entry.fileNameRaw) ||
    local.compressionMethod !== entry.compressionMethod ||
    ((local.generalPurposeBitFlag & SIZES_FOLLOW) === 0 &&
      local.uncompressedSize !== 0xffffffff &&
      (local.uncompressedSize !== entry.uncompressedSize || local.compressedSize !== entry.compressedSize));
  if (disagree)
    throw refusal(path, entry, 'its own header says something else than the directory of the archive');
}

/** Entries that share their bytes are how a small archive unpacks to a very large one. */
function checkOverlaps(entries: readonly Entry[], path: string): void {
  let end = 0;
  for (const entry of entries.toSorted(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )) {
    if (entry.relativeOffsetOfLocalHeader < end)
      throw refusal(path, entry, 'its bytes are also those of another entry');
    end =
      entry.relativeOffsetOfLocalHeader + LOCAL_HEADER_BYTES + entry.fileNameLength + entry.compressedSize;
  }
}

function sourceOf(zip: ZipFile, entry: Entry, path: string): SourceFile {
  return {
    name: entry.fileName,
    bytes: entry.compressedSize,
    path: null,
    open: async () => Readable.from(checked(zip, entry, path), { objectMode: false }),
  };
}

/** An entry's bytes, inflated; whatever is wrong with them leaves as a sentence. The checksum is the archive's own, not a proof of origin. */
async function* checked(zip: ZipFile, entry: Entry, path: string): AsyncGenerator<Buffer> {
  let sum = 0;
  try {
    for await (const piece of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      sum = crc32(piece, sum);
      yield piece;
    }
  } catch (error) {
    throw refusal(path, entry, 'it is damaged or not as large as it claims', error);
  }
  if (sum !== entry.crc32) throw refusal(path, entry, 'its checksum does not fit its bytes');
}

const refusal = (
  path: string,
  { fileName }: Pick<Entry, 'fileName'>,
  why: string,
  cause?: unknown,
): Failure =>
  new Failure(
    'refused',
    `The archive ${path} is refused because of its entry ${JSON.stringify(fileName.slice(0, 120))}: ${why}. Make the archive again from the official files.`,
    2,
    { cause },
  );

/** What yauzl objects to: names that lead elsewhere are told apart from damage. */
function damaged(path: string, cause: unknown): Failure {
  const { message } = cause as Error;
  const name = /^(?:invalid relative path|absolute path|invalid characters in fileName): (.*)$/s.exec(
    message,
  )?.[1];
  if (name !== undefined)
    return refusal(path, { fileName: name }, 'its name leads out of the archive', cause);
  return new Failure(
    'refused',
    `The archive ${path} is damaged or no zip archive (${message.slice(0, 120)}); copy it again.`,
    2,
    { cause },
  );
}

/** Names that Windows gives to devices, with or without an ending. */
const DEVICES = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/**
 * Why an archive's entry may not have this name; null when it may. Nothing is ever written under these names, but an archive with
 * such a name was made to harm, and the names stand in tables and in the folders of those who unpack it elsewhere.
 */
function badEntryName(name: string): string | null {
  if (name === '' || name.length > 1024) return 'its name is empty or longer than 1024 characters';
  if (/[\u0000-\u001f\u007f]/.test(name)) return 'its name has a control character';
  if (name.includes('\\')) return 'its name has a backslash';
  if (name.startsWith('/') || /^[a-zA-Z]:/.test(name)) return 'its name is not below the archive';
  const parts = name.replace(/\/$/, '').split('/');
  if (parts.length > 16) return 'it lies more than 16 folders deep';
  for (const part of parts) {
    if (part === '..' || part === '.' || part === '') return 'its name leads out of the archive';
    if (part.includes(':')) return 'its name has a colon, which names a hidden stream on some systems';
    if (DEVICES.test(part)) return 'its name is that of a device on some systems';
    if (/[ .]$/.test(part)) return 'its name ends in a dot or a space, which some systems drop';
  }
  return null;
}

/** Two names that are one on some system: composed the same way, in the same case. */
const foldedName = (name: string): string => name.normalize('NFC').toLowerCase().normalize('NFC');
