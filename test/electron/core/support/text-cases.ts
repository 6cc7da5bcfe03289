import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { bleu, repetitionClusters, uniform, uniformIndex, wordsOf } from '../../../../electron/core/index.ts';

export type TextCase = { texts: string[]; cut: number };
/** BLEU of every text against each later one, row by row; group of each text, numbered in any way. */
export type ReferenceAnswer = { bleu: number[]; labels: number[] };

const SEED = 20_508;
const RECORDED = join(import.meta.dirname, 'text-clusters.json');
const PYTHON = join(import.meta.dirname, '../../../../.venv/bin/python');

/** Texts of few words, a third of them earlier ones with some words exchanged, lost or twice; some empty, some with odd white space. */
export function textCase(number: number): TextCase {
  const draw = (size: number, ...path: (string | number)[]): number =>
    uniformIndex(size, SEED, 'texts', number, ...path);
  const vocabulary = 2 + draw(40, 'vocabulary');
  const longest = 1 + draw(25, 'longest');
  const texts: string[] = [];
  for (let at = 0; at < 2 + draw(11, 'count'); at += 1) {
    const word = (place: number): string => `w${draw(vocabulary, 'word', at, place)}`;
    const from = texts[draw(Math.max(1, texts.length * 3), 'from', at)];
    const words =
      from === undefined
        ? Array.from({ length: draw(longest + 1, 'length', at) }, (_, place) => word(place))
        : wordsOf(from).flatMap((old, place) => {
            const luck = uniform(SEED, 'luck', number, at, place);
            return luck < 0.1 ? [word(place)] : luck < 0.13 ? [] : luck < 0.16 ? [old, old] : [old];
          });
    texts.push(words.join([' ', '  ', '\n', '\u00a0', '\u001c'][draw(20, 'blank', at)] ?? ' '));
  }
  return { texts, cut: draw(4, 'cut') === 0 ? uniform(SEED, 'cut at', number) : 0.5 };
}

export const CASES_RECORDED = 30;
const recordedCases = (): TextCase[] =>
  Array.from({ length: CASES_RECORDED }, (_, number) => textCase(number));

/** What NLTK and scikit-learn, at the versions of native/requirements-dev.txt, said of the first cases. */
export const recordedAnswers = (): ReferenceAnswer[] =>
  JSON.parse(readFileSync(RECORDED, 'utf8')) as ReferenceAnswer[];

/** Asks NLTK and scikit-learn. */
export function referenceAnswers(cases: readonly TextCase[]): ReferenceAnswer[] {
  const { status, stdout, stderr } = spawnSync(
    PYTHON,
    [join(import.meta.dirname, 'text_clusters_reference.py')],
    {
      input: JSON.stringify(cases),
      encoding: 'utf8',
      maxBuffer: 1 << 28,
      env: { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1' },
    },
  );
  if (status !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as ReferenceAnswer[];
}

/** What electron/core says of the same, in the same form. */
export async function ownAnswer({ texts, cut }: TextCase): Promise<ReferenceAnswer> {
  const words = texts.map(wordsOf);
  const { cluster } = await repetitionClusters(texts, { cut });
  return {
    bleu: words.flatMap((hypothesis, i) =>
      words.slice(i + 1).map((reference) => bleu(hypothesis, reference)),
    ),
    labels: cluster,
  };
}

/** Group numbers counted anew in the order in which they appear, so that two numberings of the same groups are equal. */
export function inOrder(labels: readonly number[]): number[] {
  const order = [...new Set(labels)];
  return labels.map((label) => order.indexOf(label));
}

/** The first difference of an answer from the reference's: BLEU within 1e-12, groups exactly; null for none. */
export function difference(own: ReferenceAnswer, reference: ReferenceAnswer): string | null {
  if (own.bleu.length !== reference.bleu.length) return 'another number of pairs';
  const pair = own.bleu.findIndex((score, at) => Math.abs(score - (reference.bleu[at] as number)) > 1e-12);
  if (pair >= 0) return `BLEU of pair ${pair} is ${own.bleu[pair]}, not ${reference.bleu[pair]}`;
  const [ours, theirs] = [inOrder(own.labels), inOrder(reference.labels)];
  return ours.join() === theirs.join() ? null : `groups ${ours.join()} and not ${theirs.join()}`;
}

/** `node FILE` records the answers anew, after a change of the pinned versions. */
if (import.meta.filename === process.argv[1])
  writeFileSync(RECORDED, `${JSON.stringify(referenceAnswers(recordedCases()))}\n`);
