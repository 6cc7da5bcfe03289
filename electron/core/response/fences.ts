/** A fenced block: the lower-case word after the opening backticks ('' without one) and the text inside. */
export type Fence = { word: string; body: string };

export const PYTHON_WORDS = ['python', 'py', 'python3'];

/**
 * All closed fenced blocks, in order. An opening stands at the start of a line; the block ends with the first line that is,
 * or ends with, as many backticks. ```` ```input 5``` ```` on one line is a block too. A block that is never closed (a
 * response that was cut off) is not one.
 */
export function findFences(text: string): Fence[] {
  const lines = text.split('\n');
  const fences: Fence[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const opening = /^\s*(`{3,})[ \t]*([A-Za-z0-9_+-]*)(.*)$/.exec(lines[index] as string);
    if (!opening) continue;
    const [, ticks = '', word = '', rest = ''] = opening;
    const inline = rest.trimEnd();
    if (inline.endsWith(ticks) && inline.length > ticks.length) {
      fences.push({ word: word.toLowerCase(), body: inline.slice(0, -ticks.length).trim() });
      continue;
    }
    if (inline !== '') continue;
    const end = lines.findIndex((line, at) => at > index && line.trimEnd().endsWith(ticks));
    if (end < 0) break;
    const lastPart = (lines[end] as string).trimEnd().slice(0, -ticks.length);
    const body = [...lines.slice(index + 1, end), ...(lastPart.trim() === '' ? [] : [lastPart])];
    fences.push({ word: word.toLowerCase(), body: body.join('\n') });
    index = end;
  }
  return fences;
}

/** Bodies of the blocks with one of these words. */
export function fencedBodies(fences: readonly Fence[], ...words: string[]): string[] {
  return fences.filter((fence) => words.includes(fence.word)).map((fence) => fence.body);
}

/** Program text without blank lines around it and without trailing white space. */
export function tidyProgram(body: string): string {
  return body
    .replace(/\r\n?/g, '\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}
