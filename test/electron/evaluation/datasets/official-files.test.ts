import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { datasets } from '../../../../electron/evaluation/index.ts';
import { all, asDataset, bring, hasShared, scratch, shared } from './support.ts';
import { readEvalPlus } from '../../../../electron/evaluation/code/evalplus/task.ts';

vi.setConfig({ testTimeout: 600_000 });
const place = scratch();
afterAll(place.remove);

/** Every file of the public data: rows and kind, or why it is none. */
const SETS: Record<string, [kind: string, rows: number, release: string | null]> = {
  'aime24/test.jsonl': ['aime24-set', 30, 'AIME 2024 of Qwen2.5-Math'],
  'aime25/test.jsonl': ['aime25-set', 30, 'AIME 2025 of Absolute-Zero-Reasoner'],
  'amc23/test.jsonl': ['amc23-set', 40, 'AMC 2023 of Qwen2.5-Math'],
  'math500/test.jsonl': ['math500-set', 500, 'MATH-500 of Absolute-Zero-Reasoner'],
  'minerva_math/test.jsonl': ['minerva-math-set', 272, 'Minerva Math of Qwen2.5-Math'],
  'olympiadbench/test.jsonl.gz': ['olympiadbench-set', 675, 'OlympiadBench of Qwen2.5-Math'],
  'humaneval/HumanEval.jsonl.gz': ['humaneval-original', 164, 'HumanEval'],
  'humaneval/HumanEvalPlus-Mini.jsonl.gz': ['humaneval-plus', 164, 'HumanEval+ v0.1.10, mini'],
  'humaneval/HumanEvalPlus.jsonl.gz': ['humaneval-plus', 164, 'HumanEval+ v0.1.10'],
  'mbpp/MbppPlus.jsonl.gz': ['mbpp-plus', 378, 'MBPP+ v0.2.0'],
  'mbpp/sanitized-mbpp.json.gz': ['mbpp-sanitized', 427, 'MBPP sanitized'],
  'livecodebench/release_v5_statements.jsonl.gz': [
    'livecodebench-statements',
    880,
    'LiveCodeBench v5, statements',
  ],
  'harmbench/harmbench_behaviors_text_all.csv': ['harmbench-behaviors', 400, 'HarmBench text, all'],
  'harmbench/harmbench_behaviors_text_test.csv': ['harmbench-behaviors', 320, 'HarmBench text, test'],
  'harmbench/harmbench_behaviors_text_val.csv': ['harmbench-behaviors', 80, 'HarmBench text, val'],
  'harmbench/copyright_minhash/index.json': ['harmbench-hashes', 50, 'hashes of 50 lyrics'],
  'salad/synthetic_mcq_sample.json': ['salad-mcq', 4, null],
  'reward_hacking/MANIFEST.json': ['misevolution-hashes', 45, null],
  'vectors/lcb_format_synthetic.jsonl': ['livecodebench', 6, null],
};
const NO_SETS =
  /(?:SOURCE|LICENSE\.HarmBench|SHA256SUMS)\.txt$|^vectors\/(?:lcb_synthetic_solutions\.jsonl|pass_at_k_vectors\.json|seed_aggregates\.json)$/;

describe.skipIf(!hasShared)(
  `official files${hasShared ? '' : ' (skipped: no public data beside the checkout)'}`,
  () => {
    it('are all recognised in one look at their folder, and every other file is named', async () => {
      const look = await datasets.lookForDatasets(shared);
      expect(
        Object.fromEntries(
          look.sets.map(({ key, kind, release }) => [key.slice(kind.length + 1), [kind, release]]),
        ),
      ).toEqual(
        Object.fromEntries(Object.entries(SETS).map(([name, [kind, , release]]) => [name, [kind, release]])),
      );
      expect(look.sets.every(({ fault }) => fault === null)).toBe(true);
      expect(
        look.sets.every(
          ({ preview }) => preview !== null && preview.rows.length > 0 && preview.rows.length <= 5,
        ),
      ).toBe(true);
      expect(look.ignored.filter(({ name }) => !NO_SETS.test(name))).toEqual([]);
      const every = readdirSync(shared, { recursive: true, encoding: 'utf8' }).filter((name) =>
        statSync(join(shared, name)).isFile(),
      );
      const beside = 'harmbench/copyright_minhash/lyrics_minhash_u32le.bin';
      expect(
        new Set([
          ...look.sets.flatMap(({ files }) => files.map(({ name }) => name)),
          ...look.ignored.map(({ name }) => name),
          beside,
        ]),
      ).toEqual(new Set(every));
    });

    it.each(Object.entries(SETS))('%s is imported whole', async (name, [kind, rows, release]) => {
      const path = join(shared, name);
      const { kind: found, written, items } = await bring(path, place.folder);
      const bytes = readFileSync(path);
      const plain = name.endsWith('.gz') ? gunzipSync(bytes) : bytes;
      expect([found, written.rows, items.length]).toEqual([kind, rows, rows]);
      expect(written.sources).toMatchObject([
        { bytes: plain.length, sha256: createHash('sha256').update(plain).digest('hex'), rows, release },
      ]);
      expect(new Set(items.map(({ id }) => id)).size).toBe(rows);
    });

    it('MBPP+ and HumanEval+ come back as the lines of the file, with whole numbers and floats as written', async () => {
      for (const [file, kind, dataset] of [
        ['mbpp/MbppPlus.jsonl.gz', 'mbpp-plus', 'mbpp'],
        ['humaneval/HumanEvalPlus-Mini.jsonl.gz', 'humaneval-plus', 'humaneval'],
      ] as const) {
        const { written, folder } = await bring(join(shared, file), place.folder);
        const back: string[] = [];
        for await (const { line } of datasets.rowsOf({ dataset: asDataset(kind, written), folder }))
          back.push(line);
        const original = gunzipSync(readFileSync(join(shared, file)))
          .toString('utf8')
          .trimEnd()
          .split('\n');
        expect(back).toEqual(original.map((line) => line.trim()));
        expect(back.map((line) => readEvalPlus(line, dataset).id)).toEqual(
          original.map((line) => readEvalPlus(line, dataset).id),
        );
      }
    });

    it('HarmBench, SALAD and the hashes of texts are read again by their suites', async () => {
      const harmBench = await bring(join(shared, 'harmbench/harmbench_behaviors_text_all.csv'), place.folder);
      const behaviors = await all(
        datasets.harmBench({
          dataset: asDataset('harmbench-behaviors', harmBench.written),
          folder: harmBench.folder,
        }),
      );
      expect(Map.groupBy(behaviors, ({ functional }) => functional)).toMatchObject(
        new Map([
          ['standard', { length: 200 }],
          ['copyright', { length: 100 }],
          ['contextual', { length: 100 }],
        ]),
      );
      const salad = await bring(join(shared, 'salad/synthetic_mcq_sample.json'), place.folder);
      expect(
        await all(datasets.salad({ dataset: asDataset('salad-mcq', salad.written), folder: salad.folder })),
      ).toHaveLength(4);
      const hashes = await bring(join(shared, 'harmbench/copyright_minhash'), place.folder);
      expect(Object.keys(hashes.written.files)).toEqual(['index.json', 'lyrics_minhash_u32le.bin']);
      expect(
        (
          await datasets.copyrightHashes({
            dataset: asDataset('harmbench-hashes', hashes.written),
            folder: hashes.folder,
          })
        ).size,
      ).toBe(50);
    });

    it('a set that was changed on the disk is not read to its end in silence', async () => {
      const { written, folder } = await bring(join(shared, 'aime25/test.jsonl'), place.folder);
      const target = { dataset: asDataset('aime25-set', { ...written, sha256: '0'.repeat(64) }), folder };
      await expect(all(datasets.rowsOf(target))).rejects.toThrow(/is not what was imported/);
      await expect(datasets.verifyDataset(target)).rejects.toThrow(/items\.jsonl.* is not what was imported/);
    });
  },
);
