import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatasetFault } from '../../../contract/index.ts';
import type { KindReader } from '../kinds/kind.ts';
import type { Format } from '../rows/read-rows.ts';
import type { Row } from '../rows/row.ts';
import {
  baseName,
  folderName,
  type IgnoredFile,
  type OpenedPath,
  type SourceFile,
} from '../sources/source.ts';
import { sourceOn } from '../sources/open-path.ts';
import { recognise, type Recognised } from './recognise.ts';

/** A set that was found: its files in the order they are read. */
export type FoundSet = {
  key: string;
  reader: KindReader;
  format: Format;
  files: SourceFile[];
  /** Files that belong to it and hold no rows. */
  beside: { name: string; file: SourceFile }[];
  release: string | null;
  suggestedName: string;
  rows: Row[];
  fault: DatasetFault | null;
};

/** The sets among the files of a path, and the files that are none with the reason. @throws the signal's reason. */
export async function findSets(
  opened: OpenedPath,
  signal?: AbortSignal,
): Promise<{ sets: FoundSet[]; ignored: IgnoredFile[] }> {
  const ignored: IgnoredFile[] = [...opened.ignored];
  const found: Recognised[] = [];
  for (const file of opened.files) {
    signal?.throwIfAborted();
    const one = await recognise(file, opened.path);
    if ('why' in one) ignored.push({ name: file.name, why: one.why });
    else found.push(one);
  }
  const taken = new Set<string>();
  const sets = found.flatMap((one) => one.readers.map((reader) => ({ reader, one })));
  const groups = Map.groupBy(sets, ({ reader, one }) =>
    reader.files === 'joined'
      ? `${reader.name}:${one.format}:${folderName(one.file.name)}`
      : `${reader.name}:${one.file.name}`,
  );
  const all = [...groups.values()].map((members) =>
    setOf(
      members.toSorted((a, b) => naturalOrder(a.one.file.name, b.one.file.name)),
      opened,
    ),
  );
  for (const { beside } of all) for (const { file } of beside) taken.add(file.name);
  return { sets: all, ignored: ignored.filter(({ name }) => !taken.has(name)) };
}

const naturalOrder = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

function setOf(members: { reader: KindReader; one: Recognised }[], opened: OpenedPath): FoundSet {
  const { reader, one } = members[0]!;
  const beside = (reader.beside ?? []).map((name) => ({ name, file: siblingOf(one.file, name, opened) }));
  const absent = beside.find(({ file }) => file === null);
  const fault =
    absent === undefined
      ? (members.map((member) => member.one.fault).find((each) => each !== null) ?? null)
      : {
          file: one.file.name,
          row: null,
          why: `${absent.name} is not beside it; choose the folder that holds both`,
        };
  return {
    key: `${reader.name}:${one.file.name}`,
    reader,
    format: one.format,
    files: members.map((member) => member.one.file),
    beside: beside.flatMap(({ name, file }) => (file === null ? [] : [{ name, file }])),
    release: members.length === 1 ? one.release : null,
    suggestedName: suggested(reader, members.length, one),
    rows: one.rows,
    fault,
  };
}

/** A file in the same folder or archive; for a file that was chosen alone, the one beside it on the disk. */
function siblingOf(file: SourceFile, name: string, { files }: OpenedPath): SourceFile | null {
  const path = folderName(file.name) === '' ? name : `${folderName(file.name)}/${name}`;
  const listed = files.find((each) => each.name === path);
  if (listed !== undefined) return listed;
  const onDisk = file.path === null ? null : join(dirname(file.path), name);
  return onDisk !== null && existsSync(onDisk) && statSync(onDisk).isFile()
    ? sourceOn(onDisk, path, statSync(onDisk).size)
    : null;
}

/** The release, or the kind with what tells this file from its neighbours; in the letters a name may have. */
function suggested({ title }: KindReader, files: number, { file, release }: Recognised): string {
  const plain = baseName(file.name)
    .replace(/\.gz$/i, '')
    .replace(/\.[a-z]+$/i, '');
  const rest =
    files > 1 ? `${files} files` : /^(?:test|train|val|data|items|index|manifest)$/i.test(plain) ? '' : plain;
  return (release ?? `${title} ${rest}`)
    .replace(/[^\p{L}\p{N} ._+-]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 100);
}
