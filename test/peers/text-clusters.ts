/**
 * Measures groups of texts that repeat each other at the size of one step of R-Zero's challenger, and NLTK's BLEU on a part of the same texts.
 * Usage: node test/peers/text-clusters.ts [texts=2048] [words=60] [compared=64]
 * Prints processor seconds, which a busy machine does not change, the longest time that the thread was kept, and microseconds a pair of both.
 */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { repetitionClusters, uniform, uniformIndex } from '../../electron/core/index.ts';

const [COUNT, WORDS, COMPARED] = [2048, 60, 64].map((usual, at) => Number(process.argv[2 + at] ?? usual)) as [
  number,
  number,
  number,
];
const SEED = 20_508;
const PYTHON = join(import.meta.dirname, '../../.venv/bin/python');
const NLTK = `
import json, sys, time
from nltk.translate.bleu_score import SmoothingFunction, sentence_bleu
texts = json.load(sys.stdin)
method = SmoothingFunction().method1
began = time.process_time()
for at, text in enumerate(texts):
    for other in texts[at + 1:]:
        sentence_bleu([other.split()], text.split(), smoothing_function=method)
print(time.process_time() - began)
`;

/** Words fall off in how often they come, and a third of the texts are earlier ones with a tenth of their words exchanged. */
const texts: string[] = [];
for (let at = 0; at < COUNT; at += 1) {
  const word = (place: number): string => `w${Math.floor(3000 * uniform(SEED, 'word', at, place) ** 3)}`;
  const from = at % 3 === 0 ? texts[uniformIndex(Math.max(1, at), SEED, 'from', at)] : undefined;
  const length = Math.floor(WORDS * (0.5 + uniform(SEED, 'length', at)));
  texts.push(
    from === undefined
      ? Array.from({ length }, (_, place) => word(place)).join(' ')
      : from
          .split(' ')
          .map((old, place) => (uniform(SEED, 'luck', at, place) < 0.1 ? word(place) : old))
          .join(' '),
  );
}

/** Processor time between two turns of the loop is how long whoever else waits was kept waiting by this work. */
let [longest, last] = [0, process.cpuUsage()];
const turn = (): void => {
  const { user, system } = process.cpuUsage(last);
  longest = Math.max(longest, (user + system) / 1000);
  last = process.cpuUsage();
  next = setImmediate(turn);
};
let next = setImmediate(turn);
const began = process.cpuUsage();
const { sizes } = await repetitionClusters(texts, { cut: 0.5 });
const { user, system } = process.cpuUsage(began);
clearImmediate(next);
const seconds = (user + system) / 1e6;
const pairs = (count: number): number => (count * (count - 1)) / 2;

const peer = spawnSync(PYTHON, ['-c', NLTK], {
  input: JSON.stringify(texts.slice(0, COMPARED)),
  encoding: 'utf8',
});
if (peer.status !== 0) throw new Error(peer.stderr);
const each = (of: number, count: number): string => `${((1e6 * of) / pairs(count)).toFixed(2)} µs a pair`;
process.stdout.write(
  [
    `${cpus()[0]?.model}, Node ${process.version}`,
    `${COUNT} texts of about ${WORDS} words: ${seconds.toFixed(1)} s of processor time, ${each(seconds, COUNT)}, groups included`,
    `${sizes.length} groups, the largest of ${Math.max(...sizes)}; the thread was kept for at most ${longest.toFixed(0)} ms`,
    `NLTK, ${COMPARED} of them: ${each(Number(peer.stdout), COMPARED)}, BLEU alone`,
    '',
  ].join('\n'),
);
