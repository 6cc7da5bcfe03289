/**
 * Grading of mathematics on answers made from the official files: each gold under other notations, and the gold of another item.
 * Reports how many pairs a second text and exact numbers decide, what the comparison process costs, how often the whole order
 * agrees with math-verify alone (the published rule), and how long a tower of powers is put up with.
 * Usage: node test/peers/maths-grading.ts [--data FOLDER] [--every 1] [--towers 3] [--json FILE]
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { startGrader } from '../../electron/processes/index.ts';
import { gradeMaths } from '../../electron/evaluation/maths/grade.ts';
import { MATHS_PROTOCOLS, type MathsProtocol } from '../../electron/evaluation/maths/protocol.ts';
import { readMaths } from '../electron/evaluation/maths/official-file.ts';
import { MATHS_SUITES, type MathsItem } from '../../electron/evaluation/maths/suites.ts';

const root = join(import.meta.dirname, '../..');
const { values: given } = parseArgs({
  options: {
    data: { type: 'string', default: join(root, '../shared/data') },
    every: { type: 'string', default: '1' },
    towers: { type: 'string', default: '3' },
    json: { type: 'string' },
  },
});
const scratch = mkdtempSync(join(tmpdir(), 'anchor-peer-'));

function officialText(suite: string): string {
  const plain = join(given.data, suite, 'test.jsonl');
  if (existsSync(plain)) return readFileSync(plain, 'utf8');
  if (existsSync(`${plain}.gz`)) return gunzipSync(readFileSync(`${plain}.gz`)).toString('utf8');
  throw new Error(`There is no ${plain}; name the folder with the six sets with --data.`);
}

/** The same answer written differently, as models write it. */
const NOTATIONS: readonly ((gold: string) => string)[] = [
  (gold) => gold,
  (gold) => gold.replaceAll('\\frac', '\\dfrac').replaceAll(',', ', '),
  (gold) => (gold.includes('=') ? `$${gold}$` : `x = ${gold}`),
  (gold) => (/^\d+$/.test(gold) ? `${gold}.0` : `\\left(${gold}\\right)`),
  (gold) => (/^\d+$/.test(gold) ? `\\frac{${2n * BigInt(gold)}}{2}` : `1 \\cdot ${gold}`),
];

type Pair = { item: MathsItem; response: string; right: boolean };

function pairsOf(items: readonly MathsItem[]): Pair[] {
  const boxed = (answer: string): string => `<answer> \\boxed{${answer}} </answer>`;
  const answered = items.filter(({ gold }) => gold.compatible !== '');
  return answered.flatMap((item, index) => {
    const other = answered[(index + 1) % answered.length]!;
    const wrong =
      other.gold.repaired === item.gold.repaired
        ? []
        : [{ item, response: boxed(other.gold.repaired), right: false }];
    // Written from the undamaged gold, as a model that is right would.
    return [
      ...NOTATIONS.map((write) => ({ item, response: boxed(write(item.gold.repaired)), right: true })),
      ...wrong,
    ];
  });
}

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(2)} %`;
const began = performance.now();
const grader = await startGrader({
  python: join(root, '.venv/bin/python'),
  moduleDir: join(root, 'native/grader'),
  logFile: join(scratch, 'grader.log'),
});
say(
  `${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}, load ${loadavg()[0]!.toFixed(1)}, Python ${grader.hello.python}, math-verify ${grader.hello.versions['math-verify']}, start ${((performance.now() - began) / 1000).toFixed(1)} s`,
);
const tools = { grader, now: () => performance.now() };
const items = MATHS_SUITES.flatMap(({ name }) => readMaths(officialText(name), name, name)).filter(
  (_, index) => index % Number(given.every) === 0,
);
const noProcess = {
  grader: { compare: () => Promise.reject(new Error('asked')) },
  now: () => performance.now(),
};

/** Pairs a second, and per second of processor time, over the pairs that text and exact numbers decide. */
async function quickRate(
  pairs: readonly Pair[],
  protocol: MathsProtocol,
): Promise<{ pairs: number; perSecond: number; perProcessorSecond: number }> {
  const decided: Pair[] = [];
  for (const pair of pairs)
    await gradeMaths(pair.item, pair.response, protocol, noProcess).then(
      () => decided.push(pair),
      () => {},
    );
  const [start, before] = [performance.now(), process.cpuUsage()];
  for (const { item, response } of decided) await gradeMaths(item, response, protocol, noProcess);
  const { user, system } = process.cpuUsage(before);
  return {
    pairs: decided.length,
    perSecond: decided.length / ((performance.now() - start) / 1000),
    perProcessorSecond: decided.length / ((user + system) / 1e6),
  };
}
const figures: Record<string, unknown> = { items: items.length };

for (const mode of ['compatible', 'repaired'] as const) {
  const protocol: MathsProtocol = { ...MATHS_PROTOCOLS.azr, mode };
  const pairs = pairsOf(items);
  const quick = await quickRate(pairs, protocol);
  const sum = { process: { n: 0, ms: 0, cpu: 0 }, right: 0, agree: 0, compared: 0, falseAccepts: 0 };
  const methods: Record<string, number> = {};
  for (const { item, response, right } of pairs) {
    const { passed, method, milliseconds, processorMilliseconds, extracted, gold } = await gradeMaths(
      item,
      response,
      protocol,
      tools,
    );
    methods[method] = (methods[method] ?? 0) + 1;
    if (processorMilliseconds !== null) {
      sum.process.n += 1;
      sum.process.ms += milliseconds;
      sum.process.cpu += processorMilliseconds;
    }
    sum.right += Number(passed === right);
    sum.falseAccepts += Number(passed && !right);
    if (extracted === null) continue;
    const alone =
      method === 'math-verify'
        ? { outcome: 'compared' as const, equal: passed }
        : await grader.compare({ gold, answer: extracted });
    sum.compared += 1;
    sum.agree += Number(passed === (alone.outcome === 'compared' && alone.equal));
  }
  say(
    `${mode}: ${pairs.length} pairs, ${percent(sum.right, pairs.length)} as made, ${sum.falseAccepts} wrong ones accepted, decided by ${Object.entries(
      methods,
    )
      .map(([name, n]) => `${name} ${n}`)
      .join(', ')}`,
  );
  say(
    `  text and numbers: ${Math.round(quick.perSecond)} pairs/s (${Math.round(quick.perProcessorSecond)} per second of processor time); comparison process: ${(sum.process.cpu / sum.process.n).toFixed(1)} ms of processor time and ${(sum.process.ms / sum.process.n).toFixed(1)} ms a pair`,
  );
  say(
    `  agrees with math-verify alone on ${percent(sum.agree, sum.compared)} (${sum.compared - sum.agree} of ${sum.compared} differ)`,
  );
  figures[mode] = { pairs: pairs.length, quick, ...sum, methods };
}

const towers: { seconds: number; method: string }[] = [];
for (let index = 0; index < Number(given.towers); index += 1) {
  const { milliseconds, method } = await gradeMaths(
    { ...items[0]!, gold: { compatible: '9', repaired: '9', whole: '9' } },
    '\\boxed{9^{9^{9^{9}}}}',
    MATHS_PROTOCOLS.azr,
    tools,
  );
  towers.push({ seconds: milliseconds / 1000, method });
}
say(
  `towers of powers: ${towers.map(({ seconds, method }) => `${method} after ${seconds.toFixed(1)} s`).join(', ')} (a fresh process included)`,
);
await grader.close();
rmSync(scratch, { recursive: true, force: true });
if (given.json !== undefined)
  writeFileSync(given.json, `${JSON.stringify({ ...figures, towers }, null, 1)}\n`);
