export type MathsSuite = 'aime24' | 'aime25' | 'amc23' | 'math500' | 'olympiadbench' | 'minerva_math';

export type MathsSuiteFacts = {
  name: MathsSuite;
  title: string;
  /** Questions of the official file. */
  size: number;
  /** SHA-256 of the official test.jsonl, unpacked, as AZR's and Qwen's repositories have it. */
  sha256: string;
  /** Answers are compared with their units. */
  keepUnits: boolean;
  licence: string;
};

/** In the order of the published tables. */
export const MATHS_SUITES: readonly MathsSuiteFacts[] = [
  {
    name: 'aime24',
    title: 'AIME 2024',
    size: 30,
    sha256: 'af2b8bd2aa911b6333ad0df32f3ca05c7ae8ed10f1731f4372c8ae26990bf7ac',
    keepUnits: false,
    licence: 'Problems © Mathematical Association of America; file MIT',
  },
  {
    name: 'aime25',
    title: 'AIME 2025',
    size: 30,
    sha256: '20c1ca392758d96bd1e28af15d9f30df5660257927cacc9eac7301c29f677d1a',
    keepUnits: false,
    licence: 'Problems © Mathematical Association of America; file MIT',
  },
  {
    name: 'amc23',
    title: 'AMC 2023',
    size: 40,
    sha256: '43707e1ca784602d8479de24ee8ce36609dbebc46dd152b0b12a46611aa898a4',
    keepUnits: false,
    licence: 'Problems © Mathematical Association of America; file MIT',
  },
  {
    name: 'math500',
    title: 'MATH-500',
    size: 500,
    sha256: '35dc41080a3680858b27fa7e0533d2d547825316fc5dafe5d316f4ccc5a06132',
    keepUnits: false,
    licence: 'MIT',
  },
  {
    name: 'olympiadbench',
    title: 'OlympiadBench (mathematics, English, text only)',
    size: 675,
    sha256: 'bb8c1e38a16ea9eacb77530315a674d883f267fbff79183effc53681b4fcc416',
    keepUnits: false,
    licence: 'MIT',
  },
  {
    name: 'minerva_math',
    title: 'Minerva Math',
    size: 272,
    sha256: '0e656b430d3a0a1dab6aa853f453ba3805e28e2cabe4fc72486a897cc09d8ba2',
    keepUnits: true,
    licence: 'Problems from MIT OpenCourseWare, CC BY-NC-SA',
  },
];

const BY_NAME = new Map(MATHS_SUITES.map((suite) => [suite.name, suite]));

export const mathsSuite = (name: MathsSuite): MathsSuiteFacts => BY_NAME.get(name)!;
