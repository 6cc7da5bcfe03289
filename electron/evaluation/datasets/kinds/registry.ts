import { DATASET_KINDS, type DatasetKind, type DatasetKindName } from '../../../contract/index.ts';
import {
  humanEvalOriginal,
  humanEvalPlus,
  liveCodeBench,
  liveCodeBenchStatements,
  mbppPlus,
  mbppSanitized,
} from './code.ts';
import {
  misevolutionHashes,
  misevolutionTexts,
  harmBenchBehaviors,
  harmBenchHashes,
  harmBenchLabelled,
  harmBenchPickles,
  hexPhi,
  saladMcq,
} from './safety.ts';
import { ownQuestions } from './own.ts';
import type { KindReader } from './kind.ts';
import { aime24, aime25, amc23, math500, minervaMath, olympiadBench } from './maths.ts';

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
  ownQuestions,
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

/** Official files by the SHA-256 of their unpacked bytes. A file that is not among them is known by its columns. */
const RELEASES: Readonly<Record<string, { kind: DatasetKindName; release: string }>> = {
  '42526ec0e7d5f3ee0b06d6ced98f8c8bae3d76519151bfb3d36f79010645bd7f': {
    kind: 'humaneval-plus',
    release: 'HumanEval+ v0.1.10',
  },
  '78fbba8865b20c5a979cda6e02fd72538e1762e65980af7d1a6e93c3e87e93af': {
    kind: 'humaneval-plus',
    release: 'HumanEval+ v0.1.10, mini',
  },
  '1d49078ba3e2b196b9344535bef34a43021f038fad9561d6ee7c53450609a6a2': {
    kind: 'humaneval-original',
    release: 'HumanEval',
  },
  b54e762755248ca411b523c917fa9f93c07b5ff2966bf60b3917b853926a3dad: {
    kind: 'mbpp-plus',
    release: 'MBPP+ v0.2.0',
  },
  '7fec016546acaee11dbe14f9f0bb670e59f41919f7b522a59fba34871da78551': {
    kind: 'mbpp-sanitized',
    release: 'MBPP sanitized',
  },
  '706e679e0d394a67f4156a49456acd23171b898c194ad5816814ab6386de0402': {
    kind: 'livecodebench-statements',
    release: 'LiveCodeBench v5, statements',
  },
  af2b8bd2aa911b6333ad0df32f3ca05c7ae8ed10f1731f4372c8ae26990bf7ac: {
    kind: 'aime24-set',
    release: 'AIME 2024 of Qwen2.5-Math',
  },
  '20c1ca392758d96bd1e28af15d9f30df5660257927cacc9eac7301c29f677d1a': {
    kind: 'aime25-set',
    release: 'AIME 2025 of Absolute-Zero-Reasoner',
  },
  '43707e1ca784602d8479de24ee8ce36609dbebc46dd152b0b12a46611aa898a4': {
    kind: 'amc23-set',
    release: 'AMC 2023 of Qwen2.5-Math',
  },
  '35dc41080a3680858b27fa7e0533d2d547825316fc5dafe5d316f4ccc5a06132': {
    kind: 'math500-set',
    release: 'MATH-500 of Absolute-Zero-Reasoner',
  },
  bb8c1e38a16ea9eacb77530315a674d883f267fbff79183effc53681b4fcc416: {
    kind: 'olympiadbench-set',
    release: 'OlympiadBench of Qwen2.5-Math',
  },
  '0e656b430d3a0a1dab6aa853f453ba3805e28e2cabe4fc72486a897cc09d8ba2': {
    kind: 'minerva-math-set',
    release: 'Minerva Math of Qwen2.5-Math',
  },
  '8d81accedd38eaaf8b760618622bb888417d1fd0c86eba65c427a16f1cbb4afc': {
    kind: 'harmbench-behaviors',
    release: 'HarmBench text, all',
  },
  '75d257b3e7428c52eb7b0154318f455af3e01b09a3794b5e2f3d36054f3c0e29': {
    kind: 'harmbench-behaviors',
    release: 'HarmBench text, test',
  },
  '7bfaaa5e2b9b95002c89e2d33c019f58e9e8496e2fc65d368f1eeb8179e69534': {
    kind: 'harmbench-behaviors',
    release: 'HarmBench text, val',
  },
  '914cab6a215a33cbc2486b3785035bfd66ef5ccc058d74c732fd17a0859ecf0e': {
    kind: 'harmbench-hashes',
    release: 'hashes of 50 lyrics',
  },
  '7ccc814734aa56941a3aa9e1750a0262db11aea3857cef909dad8c58c35696e2': {
    kind: 'hex-phi-set',
    release: 'HEx-PHI, 300 rows, as in Misevolution',
  },
  d63299dcc1b68fa2990c26d5637db79be36bdcc7c8847c60fadd7ee5ffc9940c: {
    kind: 'misevolution-texts',
    release: 'Misevolution, reward hacking',
  },
};

/** The official release whose bytes have this hash; null for any other. */
export const releaseOf = (sha256: string): { kind: DatasetKindName; release: string } | null =>
  Object.hasOwn(RELEASES, sha256) ? (RELEASES[sha256] ?? null) : null;
