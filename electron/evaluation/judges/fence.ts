import { asData, sha256Hex } from '../../core/index.ts';

/** Texts between marks that none of them contains. */
export type Fenced = { mark: string; blocks: Record<string, string>; shown: Record<string, string> };

/**
 * Material for a judge, made data: invisible characters and role markers tamed, length capped, every line marked, and the whole
 * between delimiters drawn from the seed and the material itself, so that no text can hold them by intent. `shown` is what the
 * judge reads of each text, without the marks of lines; spans of evidence are looked for in it.
 * @param texts named texts; @param limit characters of each.
 */
export function fence(texts: Record<string, string>, limit: number, seed: number): Fenced {
  const shown = Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, asData(text, limit)]));
  const mark = freshMark(Object.values(shown), seed);
  const blocks = Object.fromEntries(
    Object.entries(shown).map(([name, text]) => [
      name,
      `<<${mark} ${name}>>\n${text
        .split('\n')
        .map((line) => `| ${line}`)
        .join('\n')}\n<<${mark} end>>`,
    ]),
  );
  return { mark, blocks, shown };
}

function freshMark(texts: readonly string[], seed: number): string {
  for (let attempt = 0; ; attempt += 1) {
    const mark = sha256Hex(`fence/${seed}/${attempt}/${texts.join('\n')}`).slice(0, 12);
    if (!texts.some((text) => text.toLowerCase().includes(mark))) return mark;
  }
}
