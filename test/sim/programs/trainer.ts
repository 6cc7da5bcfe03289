import { basename, dirname, join } from 'node:path';
import { sha256Hex, uniform } from '../../../electron/core/index.ts';
import { modelFiles } from '../application.ts';
import { realFiles } from '../system.ts';
import { answerTo } from './policy.ts';
import { Refusal, type Behaviour, type Life, type Request, type Work } from './program.ts';

type Kept = Record<string, { text: string; opKey: string }>;
type Update = { opId: string; from: number; weights: string; result: Record<string, unknown> };
type Held = { weights: string; version: number; updates: Update[]; kept: Kept; model: string };
type Rollout = { key: string; text: string; ms: number } & Record<string, unknown>;

/** How long a request takes, and the shortest and longest of it. */
const MS = { load: [50, 3000], update: [100, 4000], save: [20, 1500], short: [1, 60] } as const;

/**
 * A trainer as native/trainer/README.md describes it, whose weights are one number. Answers are a function of weights, prompt and seed;
 * updates are written to a journal before they count; kept rollouts lie in the spool; checkpoints are whole or not there.
 */
export function trainer(pace: { noise: (path: string) => number }): Behaviour {
  const held = new Map<string, Held>();
  let folders = { runDir: '', spoolDir: '' };
  let progressMs = 0;
  const cancelled = new Set<number>();
  const lasting = (kind: keyof typeof MS, what: string): number => {
    const [least, most] = MS[kind];
    return least * (most / least) ** pace.noise(what);
  };
  const requireHeld = (params: Record<string, unknown>): Held => {
    const found = held.get(params['policy'] as string);
    if (found === undefined) throw new Refusal('notLoaded', 'No model is loaded under that name.');
    return found;
  };
  const journal = (policy: unknown): string => join(folders.runDir, `journal-${String(policy)}.json`);
  const spool = (policy: unknown): string => join(folders.spoolDir, `${String(policy)}.json`);

  function load({ policy, model, resume }: Record<string, unknown>): object {
    const from = (resume as { dir: string; replay: boolean } | undefined) ?? null;
    const folder = from?.dir ?? (model as { path: string }).path;
    const weights = readWeights(folder);
    const version = from === null ? 0 : readVersion(folder);
    const written = readJson<Update[]>(journal(policy)) ?? [];
    const updates = written.filter((one) => one.from < version || from?.replay === true);
    writeJson(journal(policy), updates);
    const replayed = updates.filter((one) => one.from >= version);
    const last = replayed.at(-1);
    held.set(policy as string, {
      weights: last?.weights ?? weights,
      version: version + replayed.length,
      updates,
      kept: {},
      model: folder,
    });
    return {
      version: version + replayed.length,
      params: 32,
      trainable: 32,
      device: 'cpu',
      threads: 1,
      contextLength: 4096,
      maxConcurrent: 32,
      gradCheckpoint: false,
      offloads: false,
      plannedBytes: { rollout: 5e8, update: 6e8 },
      weightsSha256: sha256Hex(last?.weights ?? weights),
      tokenizer: {
        vocab: 768,
        eosIds: [759],
        sha256: sha256Hex('tokenizer'),
        templateSha256: sha256Hex('chat'),
        systemInUser: false,
      },
      replayed: replayed.map(({ opId }) => opId),
      replayedExactly: true,
      replayStopped: null,
    };
  }

  function rollouts({ weights }: Held, { opKey, items, sampling }: Record<string, unknown>): Rollout[] {
    return (items as { key: string; seed: number; n?: number }[]).flatMap((item) =>
      Array.from({ length: item.n ?? 1 }, (_, index) => {
        const text = answerTo(weights, item, index, (sampling as { temperature: number }).temperature);
        return {
          rolloutId: `${opKey as string}/${item.key}/${index}`,
          key: item.key,
          index,
          text,
          finish: 'stop',
          promptTokens: 20,
          newTokens: 1 + text.length,
          logpSum: -text.length / 7,
          logpMean: -1 / 7,
          entropyMean: 0.5,
          version: 0,
          ms: 20 * 30 ** pace.noise(`generate ${item.key}`),
        };
      }),
    );
  }

  function generate({ id, params }: Request, life: Life): Work {
    const of = requireHeld(params);
    const all = rollouts(of, params);
    const keep = params['keep'] === true;
    all.forEach((rollout) =>
      life.after(rollout.ms, 'rollout', () => {
        if (cancelled.has(id)) return;
        progressMs = life.nowMs + rollout.ms;
        if (keep) {
          of.kept[rollout['rolloutId'] as string] = { text: rollout.text, opKey: params['opKey'] as string };
          writeJson(spool(params['policy']), of.kept);
        }
        const { key, index, text } = rollout;
        const watched = (params['items'] as { key: string; alternatives?: number }[]).find(
          (one) => one.key === key,
        );
        if (watched?.alternatives !== undefined)
          life.event('token', { reqId: id, key, index, position: 0, text, logp: -1, alternatives: [] });
        life.event('rollout', { reqId: id, ...rollout });
      }),
    );
    return {
      takesMs: Math.max(1, ...all.map(({ ms }) => ms)) + 1,
      answer: () => ({
        rollouts: all.length,
        promptTokens: 20 * all.length,
        newTokens: all.length,
        cancelled: cancelled.has(id) ? all.length : 0,
        version: of.version,
        wallMs: 1,
        tokPerSec: 1,
      }),
    };
  }

  function update(params: Record<string, unknown>): object {
    const of = requireHeld(params);
    const opId = params['opId'] as string;
    const before = of.updates.find((one) => one.opId === opId);
    if (before !== undefined) return before.result;
    if (params['expectVersion'] !== of.version)
      throw new Refusal('versionMismatch', `The weights are at version ${of.version}.`);
    const items = params['items'] as { rolloutId: string; advantage: number }[];
    const texts = items.map(({ rolloutId }) => {
      const kept = of.kept[rolloutId];
      if (kept === undefined) throw new Refusal('unknownRollout', `No rollout ${rolloutId} is kept.`);
      return kept.text;
    });
    const weights = sha256Hex(
      JSON.stringify([of.weights, opId, texts, items.map(({ advantage }) => advantage)]),
    );
    const result = {
      opId,
      version: of.version + 1,
      optimizerSteps: 1,
      sequences: items.length,
      tokens: 10,
      lossTokens: 10,
      packFill: 1,
      loss: [uniform(1, weights)],
      gradNorm: [uniform(2, weights)],
      lr: [1e-6],
      entropy: 0.5,
      clip: { low: 0, high: 0 },
      ratio: { mean: 1, max: 1 },
      mismatch: { p50: 0, p90: 0, p95: 0, p99: 0, max: 0, outside: 0 },
      wallMs: 1,
      skipped: [],
    };
    of.updates.push({ opId, from: of.version, weights, result });
    writeJson(journal(params['policy']), of.updates);
    of.version += 1;
    of.weights = weights;
    return result;
  }

  const methods: Record<string, (request: Request, life: Life) => Work> = {
    hello: ({ params }, { pid }) => {
      folders = params as typeof folders;
      return {
        takesMs: lasting('load', 'start'),
        answer: () => ({
          protocol: { name: 'anchor-trainer', major: 1, minor: 1 },
          trainer: { version: '1', pid },
          python: '3.11',
          torch: 'simulated',
          devices: [],
          features: [],
          limits: { maxLineBytes: 16 * 1024 * 1024 },
        }),
      };
    },
    load: ({ params }) => ({ takesMs: lasting('load', 'load'), answer: () => load(params) }),
    unload: ({ params }) => ({
      takesMs: 1,
      answer: () => ({ unloaded: held.delete(params['policy'] as string) }),
    }),
    tokenize: ({ params }) => {
      requireHeld(params);
      const lengths = (params['items'] as object[]).map((item) => JSON.stringify(item).length >> 2);
      return { takesMs: lasting('short', 'tokenize'), answer: () => ({ counts: lengths }) };
    },
    generate,
    logprobs: ({ params }) => ({
      takesMs: lasting('short', 'logprobs'),
      answer: () => ({ items: (params['items'] as object[]).map(() => ({ n: 1, sum: -1 })) }),
    }),
    update: ({ params }) => ({ takesMs: lasting('update', 'update'), answer: () => update(params) }),
    rollouts: ({ params }) => ({
      takesMs: lasting('short', 'rollouts'),
      answer: () => {
        const of = requireHeld(params);
        if (params['op'] === 'restore') of.kept = readJson<Kept>(spool(params['policy'])) ?? {};
        else {
          const prefix = params['opKeyPrefix'] as string;
          of.kept = Object.fromEntries(
            Object.entries(of.kept).filter(([, { opKey }]) => !opKey.startsWith(prefix)),
          );
          writeJson(spool(params['policy']), of.kept);
        }
        return {};
      },
    }),
    save: ({ params }) => {
      const of = requireHeld(params);
      const folder = params['dir'] as string;
      return {
        takesMs: lasting('save', 'save'),
        begin: () => beginSaving(folder, of),
        answer: () => ({ ...save(folder, of), version: of.version, wallMs: 1 }),
      };
    },
    export: ({ params }) => ({
      takesMs: lasting('save', 'export'),
      answer: () => {
        const file = params['file'] as string;
        const { weights } = requireHeld(params);
        if (!realFiles.existsSync(dirname(file)))
          throw new Refusal('cannotWrite', `The folder of ${file} is not there.`);
        realFiles.writeFileSync(file, `GGUF ${weights}`);
        return { files: [fileFacts(file)] };
      },
    }),
    cancel: ({ params }) => {
      cancelled.add(params['id'] as number);
      return { takesMs: 1, answer: () => ({}) };
    },
    stats: () => ({ takesMs: 1, answer: () => ({}) }),
    shutdown: (_, life) => {
      life.after(5, 'shut down', () => process.kill(life.pid, 'SIGKILL'));
      return { takesMs: 1, answer: () => ({}) };
    },
  };
  return {
    heartbeatMs: 2000,
    heartbeat: (openRequests) => ({ activeReqs: openRequests, lastProgressTs: progressMs }),
    handle(request, life) {
      progressMs = life.nowMs;
      const method = methods[request.method];
      if (method === undefined) throw new Refusal('badRequest', `There is no method ${request.method}.`);
      return method(request, life);
    },
  };
}

const WEIGHTS = 'model.safetensors';
const STATE = 'trainer.json';

/** A checkpoint is written beside its place, under the name that native/trainer gives it. */
const unfinishedOf = (folder: string): string => `${folder}.tmp`;

function beginSaving(folder: string, { weights }: Held): void {
  realFiles.mkdirSync(unfinishedOf(folder), { recursive: true });
  realFiles.writeFileSync(join(unfinishedOf(folder), WEIGHTS), weights.slice(0, 20));
}

/** Whole or not there: written beside its place and moved. */
function save(folder: string, { weights, version }: Held): { files: object[]; weightsSha256: string } {
  const unfinished = unfinishedOf(folder);
  realFiles.rmSync(unfinished, { recursive: true, force: true });
  realFiles.mkdirSync(unfinished, { recursive: true });
  const files = modelFiles(weights);
  for (const [name, content] of files) realFiles.writeFileSync(join(unfinished, name), content);
  realFiles.writeFileSync(join(unfinished, 'optimizer.safetensors'), `moments of ${weights}`);
  realFiles.writeFileSync(
    join(unfinished, STATE),
    JSON.stringify({ version, sha256: sha256Hex(files.get(WEIGHTS) as Buffer) }),
  );
  realFiles.rmSync(folder, { recursive: true, force: true });
  realFiles.renameSync(unfinished, folder);
  const names = [...files.keys(), 'optimizer.safetensors', STATE];
  return { files: names.map((name) => fileFacts(join(folder, name))), weightsSha256: sha256Hex(weights) };
}

function fileFacts(path: string): { path: string; bytes: number; sha256: string } {
  const content = realFiles.readFileSync(path);
  return { path: basename(path), bytes: content.length, sha256: sha256Hex(content) };
}

/** The last 64 bytes of the weights file are the weights. */
function readWeights(folder: string): string {
  try {
    return realFiles.readFileSync(join(folder, WEIGHTS)).subarray(-64).toString('latin1');
  } catch {
    throw new Refusal('badModel', `The folder ${folder} is not a checkpoint: it has no ${WEIGHTS}.`);
  }
}

function readVersion(folder: string): number {
  const corrupt = (): Refusal => new Refusal('badModel', `The checkpoint ${folder} is corrupt.`);
  let state: { version: number; sha256: string } | null;
  try {
    state = readJson(join(folder, STATE));
  } catch {
    throw corrupt();
  }
  if (state === null)
    throw new Refusal('badModel', `The folder ${folder} is not a checkpoint: it has no ${STATE}.`);
  if (sha256Hex(realFiles.readFileSync(join(folder, WEIGHTS))) !== state.sha256) throw corrupt();
  return state.version;
}

function readJson<T>(path: string): T | null {
  return realFiles.existsSync(path) ? (JSON.parse(realFiles.readFileSync(path, 'utf8')) as T) : null;
}

function writeJson(path: string, content: unknown): void {
  realFiles.mkdirSync(join(path, '..'), { recursive: true });
  realFiles.writeFileSync(`${path}.new`, JSON.stringify(content));
  realFiles.renameSync(`${path}.new`, path);
}
