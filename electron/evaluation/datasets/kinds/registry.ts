import { DATASET_KINDS, type DatasetKind, type DatasetKindName } from '../../../contract/index.ts';
import {
  humanEvalOriginal,
  humanEvalPlus,
  liveCodeBench,
  liveCodeBenchStatements,
  mbppPlus,
  mbppSanitized,
} from './code.ts';
import { misevolutionHashes, misevolutionTexts } from './hacking.ts';
import type { KindReader } from './kind.ts';
import { aime24, aime25, amc23, math500, minervaMath, olympiadBench } from './maths.ts';
import {
  harmBenchBehaviors,
  harmBenchHashes,
  harmBenchLabelled,
  harmBenchPickles,
  hexPhi,
  saladMcq,
} from './safety.ts';

const READERS: readonly KindReader[] = [
  humanEvalPlus,
  mbppPlus,
  liveCodeBench,
  humanEvalOriginal,
  mbppSanitized,
  liveCodeBenchStatements,
  aime24,
  aime25,
  amc23,
  math500,
  olympiadBench,
  minervaMath,
  harmBenchBehaviors,
  harmBenchHashes,
  harmBenchPickles,
  harmBenchLabelled,
  saladMcq,
  hexPhi,
  misevolutionHashes,
  misevolutionTexts,
];
const BY_NAME = new Map(READERS.map((reader) => [reader.name, reader]));

export const readerOf = (name: DatasetKindName): KindReader => BY_NAME.get(name)!;
export const KIND_READERS: readonly KindReader[] = DATASET_KINDS.map(readerOf);

/** What a person is told of each kind, in the order of tables. */
export const KINDS: readonly DatasetKind[] = KIND_READERS.map(
  ({ name, title, group, use, source, licence, terms, hazardous, official }) => ({
    name,
    title,
    group,
    use,
    source,
    licence,
    terms,
    hazardous,
    official,
  }),
);
