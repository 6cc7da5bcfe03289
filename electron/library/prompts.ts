import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { Failure } from '../contract/index.ts';
import { sha256Hex } from '../core/index.ts';
import type { ResourcePaths } from './resources.ts';

const guidanceSchema = z.strictObject({
  comment: z.string(),
  keys: z.record(
    z.string(),
    z.strictObject({ role: z.enum(['proposer', 'solver', 'both']), phrases: z.array(z.string()).min(1) }),
  ),
  conflicts: z.array(z.array(z.string())),
});

/** The lines an embedded policy was trained to follow: key -> phrases (the first one is injected), and keys that exclude each other. */
export type GuidanceVocabulary = Pick<z.infer<typeof guidanceSchema>, 'keys' | 'conflicts'>;

/** @throws Failure `promptPack` when guidance.json is missing or malformed. */
export function loadGuidance(folder: string): GuidanceVocabulary {
  const file = join(folder, 'guidance.json');
  try {
    const { keys, conflicts } = guidanceSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
    return { keys, conflicts };
  } catch (cause) {
    throw new Failure(
      'promptPack',
      `The guidance vocabulary ${file} could not be read; reinstall the application.`,
      1,
      { cause },
    );
  }
}

/** The prompt texts of one pack (resources/prompts/<name>), rendered by plain substitution. */
export type PromptPack = {
  readonly name: string;
  /** Fills `{{placeholders}}` of `<template>.txt`; values are inserted verbatim and never read as templates again. */
  render(template: string, values: Readonly<Record<string, string>>): string;
  has(template: string): boolean;
  /** What stands in the fenced blocks of a template without a placeholder: the values its form shows. */
  examples(template: string): string[];
  /** Texts that end every answer: the marks between which a pack of plain text puts what is said. */
  readonly stops: readonly string[];
};

const PLACEHOLDER = /\{\{([a-zA-Z]+)\}\}/g;

/** What a pack says of itself: the pack beside it whose texts stand in for those it has not, and its marks. */
const packFileSchema = z.strictObject({
  extends: z.string().regex(/^[a-z]+$/),
  stops: z.array(z.string().min(1)).default([]),
});

/**
 * Loads a pack. Each file ends with one newline that is not part of the prompt. `open-<template>.txt` is how the answer to a template
 * begins, `stop-<template>.txt` a text that ends it; `example-<template>.txt` and `answer-<template>.txt` are an exchange that stands before
 * it, where a framework shows one. A pack with `frame.txt` is plain text: each prompt is its system text and its
 * question in that frame, for models without a chat.
 * @throws Failure `promptPack` when the folder is missing, or when a render names an unknown template or misses a value.
 */
export function loadPromptPack(folder: string, name: string): PromptPack {
  if (!existsSync(join(folder, 'system.txt'))) {
    throw new Failure(
      'promptPack',
      `The prompt pack "${name}" was not found in ${folder}; reinstall the application or name another pack.`,
    );
  }
  const texts = new Map<string, string>(extended(folder));
  for (const file of readdirSync(folder)
    .filter((entry) => entry.endsWith('.txt'))
    .sort()) {
    texts.set(file.slice(0, -4), readFileSync(join(folder, file), 'utf8').replace(/\n$/, ''));
  }
  return {
    name,
    stops: packFile(folder)?.stops ?? [],
    has: (template) => texts.has(template),
    examples: (template) =>
      [...(texts.get(template) ?? '').matchAll(/^```\w+\n(.*?)\n```$/gms)].flatMap(([, body = '']) =>
        body.includes('{{') ? [] : [body],
      ),
    render(template, values) {
      const text = texts.get(template);
      if (text === undefined)
        throw new Failure(
          'promptPack',
          `The prompt pack "${name}" has no text "${template}.txt"; add it to ${folder}.`,
        );
      return text.replace(PLACEHOLDER, (_, key: string) => {
        const value = values[key];
        if (value === undefined)
          throw new Failure(
            'promptPack',
            `The prompt text "${template}.txt" of pack "${name}" needs a value for {{${key}}}.`,
          );
        return value;
      });
    },
  };
}

function packFile(folder: string): z.infer<typeof packFileSchema> | null {
  const file = join(folder, 'pack.json');
  return existsSync(file) ? packFileSchema.parse(JSON.parse(readFileSync(file, 'utf8'))) : null;
}

/** The texts of the packs that this one extends, but for the beginnings and ends of answers, which belong to their own questions. */
function* extended(folder: string): Generator<[string, string]> {
  const own = packFile(folder);
  if (own === null) return;
  const base = join(dirname(folder), own.extends);
  yield* extended(base);
  for (const entry of readdirSync(base))
    if (entry.endsWith('.txt') && !/^(?:open|stop)-/.test(entry))
      yield [entry.slice(0, -4), readFileSync(join(base, entry), 'utf8').replace(/\n$/, '')];
}

/** SHA-256 over the files of a pack and of those that it extends; null where this program has no such pack. */
export function packSha256({ prompts }: Pick<ResourcePaths, 'prompts'>, name: string): string | null {
  const folder = prompts(name);
  if (!existsSync(join(folder, 'system.txt'))) return null;
  const files = readdirSync(folder)
    .sort()
    .map((file) => [file, readFileSync(join(folder, file), 'utf8')]);
  const base = packFile(folder)?.extends;
  return sha256Hex(JSON.stringify([files, base === undefined ? null : packSha256({ prompts }, base)]));
}

/** The system message in front of a request: the role in the words of a pack, and the text of the step's context, '' for none. */
export const systemMessage = (
  { prompts }: Pick<ResourcePaths, 'prompts'>,
  name: string,
  { role, context }: { role: string; context: string },
): string => loadPromptPack(prompts(name), name).render('system', { role, context });

/** The texts that a run's prompts are made of. */
export const promptTexts = (
  { prompts }: Pick<ResourcePaths, 'prompts'>,
  name: string,
): { pack: PromptPack; guidance: GuidanceVocabulary } => ({
  pack: loadPromptPack(prompts(name), name),
  guidance: loadGuidance(prompts('compact')),
});
