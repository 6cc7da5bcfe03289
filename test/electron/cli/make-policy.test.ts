import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getLlama } from 'node-llama-cpp';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Engine } from '../../../electron/engine/index.ts';
import { startSupervisor, startTrainer, type Rollout } from '../../../electron/processes/index.ts';
import { EMBEDDED_POLICY_FOLDER as POLICY, writeAdapter } from '../../support/adapter-folder.ts';
import { APPLICATION, openEngine } from '../../support/engine.ts';
import { fetchGguf, missingModel } from '../../support/public-models.ts';
import { warmPython } from '../../support/warm-trainer.ts';
import { callAnchor } from './call-anchor.ts';

vi.setConfig({ testTimeout: 300_000 });

const GGUF = join(APPLICATION, 'resources/models/supervisor/supervisor.f16.gguf');
const PYTHON = join(APPLICATION, '.venv/bin/python');
const folder = mkdtempSync(join(tmpdir(), 'anchor-gguf-'));
const lab = join(folder, 'lab');
const made = join(folder, 'made');
const anchor = (...args: string[]) => callAnchor('--lab', lab, ...args);
const below = (name: string): string[] => readdirSync(join(folder, name)).sort();

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Token ids as llama.cpp has them: of texts in which names of control tokens are such tokens. */
async function llamaTokens(path: string, texts: readonly string[]): Promise<number[][]> {
  const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, progressLogs: false });
  const model = await llama.loadModel({ modelPath: path, vocabOnly: true });
  const ids = texts.map((text) => [...model.tokenize(text, true)]);
  await llama.dispose();
  return ids;
}

const TEXTS = [
  'def f(x):\n    return x + 12345\n\n\n# done\t end',
  "it's WE'LL <|im_end|> <think>3*8=24</think>",
  '你好,世界。日本語 한국어 😀👍🏽 café ½ ٣٤',
  '  \r\n\r\n mixed \u00a0',
  'You review the solver. Answer with issues, decision and feedback.',
];

/** Whether the folder reads texts as the GGUF does in llama.cpp and, greedily, goes on with them in the same words. */
async function expectTheSame(path: string, model: string, maxNewTokens: number): Promise<void> {
  const trainer = await startTrainer({
    python: warmPython() ?? PYTHON,
    moduleDir: join(APPLICATION, 'native/trainer'),
    runDir: join(folder, 'trainer'),
    spoolDir: join(folder, 'trainer/spool'),
    logFile: join(folder, 'trainer.log'),
  });
  const supervisor = await startSupervisor({ logFile: join(folder, 'supervisor.log') });
  try {
    await trainer.load({
      model: { path: model },
      train: { mode: 'none' },
      rollout: { maxSeqTokens: 256, maxConcurrent: 1 },
      device: 'cpu',
      threads: 1,
      seed: 0,
      reference: 'none',
    });
    const items = TEXTS.map((prompt, index) => ({ key: String(index), seed: 0, prompt }));
    expect(await trainer.tokenIds(items)).toEqual(await llamaTokens(path, TEXTS));
    if (maxNewTokens === 0) return;
    const ours: Rollout[] = [];
    const sampling = { temperature: 0, topP: 1, topK: 0, maxNewTokens };
    await trainer.generate(
      { opKey: 'greedy', keep: false, sampling, items },
      { onRollout: (rollout) => ours.push(rollout) },
    );
    await supervisor.load({ path, contextSize: 256, threads: 1 });
    const theirs = await Promise.all(
      TEXTS.map((prompt) =>
        supervisor.complete({ prompt, maxTokens: maxNewTokens, temperature: 0, seed: 0 }),
      ),
    );
    ours.sort((a, b) => Number(a.key) - Number(b.key));
    expect(ours.map(({ text }) => text)).toEqual(theirs.map(({ text }) => text));
  } finally {
    await Promise.all([trainer.shutdown(), supervisor.close()]);
  }
}

describe('anchor import FILE.gguf --policy FOLDER', () => {
  it('makes a policy of the file, says what it is, and that reads and writes like the file', async () => {
    const { code, stdout } = await anchor('import', GGUF, '--policy', made, '--name', 'mine');
    expect(stdout).toBe(
      'Imported policy "mine" (Qwen2ForCausalLM, 2.5 M parameters, 5.1 MB); its weights are those of supervisor.f16.gguf (F16).\n',
    );
    expect(code).toBe(0);
    expect(JSON.parse(readFileSync(join(made, 'source.json'), 'utf8'))).toMatchObject({
      from: 'supervisor.f16.gguf',
      quantization: 'F16',
      dequantized: false,
    });
    expect(readdirSync(folder).filter((name) => name.startsWith('made'))).toEqual(['made']);
    await expectTheSame(GGUF, made, 24);
    // What became a policy is one like any other: it can be imported by its folder as well.
    expect((await anchor('import', made, '--name', 'again')).stdout).toContain('Imported policy "again"');
  });

  it('refuses what is there already, what is no GGUF and what cannot be converted, and leaves nothing', async () => {
    const place = join(folder, 'refused');
    mkdirSync(place);
    const foreign = join(folder, 'foreign.gguf');
    writeFileSync(foreign, readFileSync(GGUF).toString('latin1').replaceAll('qwen2', 'mamba'), 'latin1');
    const cut = join(folder, 'cut.gguf');
    writeFileSync(cut, readFileSync(GGUF).subarray(0, 1_000_000));
    for (const [path, target, sentence, status] of [
      [GGUF, made, /^anchor: The folder .*made exists already; name a new one\.\n$/, 2],
      [GGUF, join(place, 'a b:c'), /"a b:c" cannot be a name in the library/, 2],
      [POLICY, join(place, 'x'), /policy is a policy as it is; import it as one\.\n$/, 2],
      [join(folder, 'none'), join(place, 'x'), /There is no model at /, 2],
      [cut, join(place, 'x'), /cut\.gguf is not a usable GGUF model: the tensor .* would end at byte/, 1],
      [
        foreign,
        join(place, 'x'),
        /foreign\.gguf is of the architecture 'mamba', which cannot become a policy\./,
        1,
      ],
      [GGUF, '/proc/x', /^anchor: .*\/proc\/x\.partial could not be written/m, 1],
    ] as const) {
      const { code, stdout, stderr } = await anchor('import', path, '--policy', target);
      expect(stderr).toMatch(sentence);
      expect(stderr).not.toMatch(/Traceback|\n {4}at /);
      expect([code, stdout]).toEqual([status, '']);
    }
    expect(below('refused')).toEqual([]);
  });

  it('a GGUF that is taken for a policy is refused with the command that makes one of it', async () => {
    const { code, stderr } = await anchor('run', '--preset', 'demo', '--set', `policy.model=${GGUF}`);
    expect(stderr).toContain(
      'make one of this file in the window\'s Library under Import, or in a terminal with "anchor import FILE.gguf --policy FOLDER"',
    );
    expect(code).toBe(2);
  });
});

describe('anchor import ADAPTER --base MODEL --policy FOLDER', () => {
  const adapter = join(folder, 'adapter');
  beforeAll(() => writeAdapter(adapter));

  it('adds the adapter to its base, by its name in the library or its folder, and evaluations can ask it', async () => {
    const target = join(folder, 'merged');
    const { stdout, stderr } = await anchor(
      'import',
      adapter,
      '--base',
      'embedded-policy',
      '--policy',
      target,
      '--name',
      'with-adapter',
    );
    expect(stderr).not.toContain('anchor:');
    expect(stdout).toMatch(
      /^Imported policy "with-adapter" \(Qwen2ForCausalLM, .*\); its weights are those of policy with the adapter adapter \(rank 1\) added, in float32\.\n$/,
    );
    const told = JSON.parse(readFileSync(join(target, 'source.json'), 'utf8')) as unknown;
    expect(told).toEqual({ from: 'adapter', base: 'policy', rank: 1, alpha: 2 });
    const again = join(folder, 'merged-again');
    const { code } = await anchor('import', adapter, '--base', POLICY, '--policy', again);
    expect(code).toBe(0);
    const weights = (at: string): Buffer => readFileSync(join(at, 'model.safetensors'));
    expect(weights(again).equals(weights(target))).toBe(true);
    const asked = await anchor('eval', '--model', 'with-adapter', '--suites', 'toy-refusal', '--limit', '2');
    expect(asked.stderr).not.toContain('anchor:');
    expect(asked.code).toBe(0);
  });

  it('says what is wrong with the adapter, the base or the command, and leaves nothing', async () => {
    const place = join(folder, 'refused-adapters');
    mkdirSync(place);
    const dora = join(folder, 'dora');
    await writeAdapter(dora, { use_dora: true });
    for (const [path, base, sentence, status] of [
      [adapter, null, /adapter is a PEFT adapter; name the model that it belongs to as well\./, 2],
      [adapter, 'nobody', /There is no model "nobody"/, 2],
      [adapter, GGUF, /cannot be used as policy: .* make one of this file/, 2],
      [adapter, adapter, /adapter is a PEFT adapter, which is no model without its base/, 2],
      [POLICY, POLICY, /policy is a policy as it is; import it as one\./, 2],
      [GGUF, POLICY, /is a whole model, which has no base; name none\./, 2],
      [dora, POLICY, /asks for use_dora, which cannot be trained or sampled here\./, 1],
    ] as const) {
      const of = base === null ? [] : ['--base', base];
      const { code, stdout, stderr } = await anchor('import', path, ...of, '--policy', join(place, 'x'));
      expect(stderr).toMatch(sentence);
      expect(stderr).not.toMatch(/Traceback|\n {4}at /);
      expect([code, stdout]).toEqual([status, '']);
    }
    const alone = await anchor('import', adapter, '--base', POLICY);
    expect(alone.stderr).toBe('anchor: --base needs --policy, which names the folder to make.\n');
    expect((await anchor('import', adapter)).stderr).toContain('is no model without its base');
    expect(below('refused-adapters')).toEqual([]);
  });
});

describe('a conversion under way', () => {
  let engine: Engine;
  beforeAll(async () => {
    engine = await openEngine(join(folder, 'other'));
  });
  afterEach(() => engine.close());

  it('ends when it is cancelled, and what it had written goes', async () => {
    const place = join(folder, 'cancelled');
    mkdirSync(join(place, 'x.partial.tmp'), { recursive: true });
    const { id } = engine.makePolicy({ path: GGUF, base: null, folder: join(place, 'x'), name: null });
    expect(() => engine.makePolicy({ path: GGUF, base: null, folder: join(place, 'x'), name: 'y' })).toThrow(
      /x exists already; name a new one/,
    );
    await new Promise((resolve) => setTimeout(resolve, 500));
    engine.jobs.cancel(id);
    expect(await engine.jobs.ended(id)).toMatchObject({
      state: 'cancelled',
      problem: 'It was cancelled; nothing was kept of it.',
    });
    expect(below('cancelled')).toEqual([]);
    expect(engine.store.getModel('x')).toBeNull();
  });
});

it('SmolLM2 of four bits says so and reads like the file', { tags: ['full'] }, async (test) => {
  const file = fetchGguf('smollm2-135m');
  if (file === null) return test.skip(missingModel('smollm2-135m'));
  const target = join(folder, 'smollm2');
  const { stdout } = await anchor('import', file, '--policy', target);
  expect(stdout).toMatch(
    /^Imported policy "smollm2" \(LlamaForCausalLM, 134\.5 M parameters, .*\); its weights were dequantized from Q4_\w+ in smollm2-135m\.gguf and are not those of the original model\.\n$/,
  );
  await expectTheSame(file, target, 0);
});
