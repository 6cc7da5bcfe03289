import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { parseArguments, parseLiteral } from '../../../electron/core/index.ts';
import {
  inspectModel,
  loadGuidance,
  loadPromptPack,
  readJsonLines,
} from '../../../electron/library/index.ts';

const root = join(import.meta.dirname, '../../..');
const scratch = mkdtempSync(join(tmpdir(), 'anchor-library-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

function packWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(scratch, 'pack-'));
  for (const [name, text] of Object.entries({ 'system.txt': 'You are the {{role}}.\n', ...files }))
    writeFileSync(join(folder, name), text);
  return folder;
}

describe('a prompt pack', () => {
  it('drops exactly the newline that ends a file', () => {
    const pack = loadPromptPack(packWith({ 'a.txt': 'one\n\n', 'b.txt': '\ntwo' }), 'test');
    expect([pack.render('a', {}), pack.render('b', {})]).toEqual(['one\n', '\ntwo']);
  });

  it('inserts values verbatim: braces, placeholders and $ in a value are text', () => {
    const pack = loadPromptPack(packWith({ 'a.txt': '{{first}}|{{second}}\n' }), 'test');
    expect(pack.render('a', { first: '{{second}} $& $1', second: 'x' })).toBe('{{second}} $& $1|x');
  });

  it('names the text and the value that are missing', () => {
    const pack = loadPromptPack(packWith({ 'a.txt': '{{first}}\n' }), 'test');
    expect(() => pack.render('a', {})).toThrow(/"a\.txt".*\{\{first\}\}/);
    expect(() => pack.render('none', {})).toThrow(/"none\.txt"/);
    expect(() => loadPromptPack(join(scratch, 'nowhere'), 'odd')).toThrow(/prompt pack "odd"/);
  });

  it('that extends another has its texts where it has none of its own, but not its beginnings of answers', () => {
    const lab = mkdtempSync(join(scratch, 'packs-'));
    for (const [name, files] of Object.entries({
      base: { 'system.txt': 'base\n', 'a.txt': 'base a\n', 'open-a.txt': 'base begins\n' },
      own: { 'system.txt': 'own\n', 'pack.json': '{ "extends": "base" }' },
    })) {
      mkdirSync(join(lab, name));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(lab, name, file), text);
    }
    const pack = loadPromptPack(join(lab, 'own'), 'own');
    expect([pack.render('system', {}), pack.render('a', {}), pack.has('open-a')]).toEqual([
      'own',
      'base a',
      false,
    ]);
  });

  it('tells the values that its forms show, and none that is filled in', () => {
    const form = '```python\n{{program}}\n```\nlike\n```output\n[1, 2]\n```\n';
    expect(loadPromptPack(packWith({ 'a.txt': form }), 'test').examples('a')).toEqual(['[1, 2]']);
  });

  it('has no form with a value or a program that could be copied for an answer', () => {
    const shown = ['full', 'instruct'].flatMap((name) => {
      const pack = loadPromptPack(join(root, 'resources/prompts', name), name);
      return ['abduction', 'deduction', 'induction', 'error'].flatMap((type) =>
        ['propose', 'solve'].flatMap((role) => pack.examples(`${role}-${type}`)),
      );
    });
    expect(new Set(shown)).toEqual(
      new Set(['...', 'def f(first, second):\n    ...\n    return result', 'NameOfTheException']),
    );
    for (const example of shown) {
      expect(parseLiteral(example, { extended: true }).ok, example).toBe(false);
      expect(parseArguments(example, { extended: true }).ok, example).toBe(false);
    }
  });

  it('all shipped packs have the same texts, so that one renderer serves them', () => {
    for (const name of ['compact', 'full', 'instruct']) {
      const pack = loadPromptPack(join(root, 'resources/prompts', name), name);
      const needed = [
        'system',
        'context',
        'context-line',
        'reference',
        'example',
        ...['abduction', 'deduction', 'induction'].flatMap((type) => [`propose-${type}`, `solve-${type}`]),
        ...['system', 'task', 'plan', 'thought', 'output', 'exec'].map((part) => `review-${part}`),
      ];
      expect(
        needed.filter((text) => !pack.has(text)),
        name,
      ).toEqual([]);
    }
  });
});

describe('the guidance vocabulary', () => {
  it('has only keys in its conflicts and every phrase once', () => {
    const { keys, conflicts } = loadGuidance(join(root, 'resources/prompts/compact'));
    expect(conflicts.flat().filter((key) => !(key in keys))).toEqual([]);
    const phrases = Object.values(keys).flatMap((entry) => entry.phrases);
    expect(new Set(phrases).size).toBe(phrases.length);
  });
});

describe('JSON lines', () => {
  it('name the line that is wrong', () => {
    const file = join(scratch, 'rows.jsonl');
    writeFileSync(file, '{"n":1}\n\n{"n":"x"}\n');
    expect(() => readJsonLines(file, z.strictObject({ n: z.number() }))).toThrow(/Line 3 of .*rows\.jsonl/);
    expect(readJsonLines(file, z.strictObject({ n: z.number() }), 1)).toEqual([{ n: 1 }]);
  });

  it('are not waited for where a pipe or a device has taken the place of the file', () => {
    const pipe = join(scratch, 'pipe.jsonl');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/zero'])
      expect(() => readJsonLines(path, z.unknown())).toThrow(`${path} is a device, a pipe or a socket`);
  });
});

describe('recognising models', () => {
  it('the embedded policy is a policy with its number of parameters', async () => {
    const model = await inspectModel(join(root, 'resources/models/policy'), 'p', '2026-01-01T00:00:00.000Z');
    expect(model).toMatchObject({
      kind: 'policy',
      format: 'safetensors',
      architecture: 'Qwen2ForCausalLM',
      contextLength: 1024,
    });
    expect(model.parameters).toBeGreaterThan(1e6);
  });

  it.each([
    ['an empty folder', {}, /no config\.json/],
    ['no weights', { 'config.json': '{}' }, /no \.safetensors/],
    ['pickled weights', { 'config.json': '{}', 'model.bin': 'x' }, /pickle/],
    ['no tokenizer', { 'config.json': '{}', 'model.safetensors': 'x' }, /no tokenizer\.json/],
    [
      'a config that is not JSON',
      { 'config.json': '{', 'model.safetensors': 'x', 'tokenizer.json': '{}' },
      /config\.json is not valid JSON/,
    ],
    [
      'a header longer than the file',
      {
        'config.json': '{}',
        'model.safetensors': '\u00ff\u0001\u0000\u0000\u0000\u0000\u0000\u0000{}',
        'tokenizer.json': '{}',
      },
      /not an intact safetensors/,
    ],
  ])('%s is refused with what is wrong', async (_what, files, sentence) => {
    const folder = mkdtempSync(join(scratch, 'model-'));
    mkdirSync(folder, { recursive: true });
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(folder, name), Buffer.from(text as string, 'latin1'));
    await expect(inspectModel(folder, null, '')).rejects.toThrow(sentence);
  });

  it('a file that is not GGUF is refused by its first bytes, whatever its name', async () => {
    const file = join(scratch, 'model.gguf');
    writeFileSync(file, 'PK\u0003\u0004');
    await expect(inspectModel(file, null, '')).rejects.toThrow(/not a GGUF file/);
  });
});
