/** Where a box stands in a text, and what is in it. */
export type Box = { start: number; content: string };

/** The content of the last `\boxed{…}` whose braces close; '' where it is empty, null where there is none. */
export const lastBoxed = (text: string): string | null => lastBox(text)?.content ?? null;

/** The last `\boxed{…}` whose braces close; null where there is none. */
export function lastBox(text: string): Box | null {
  const mark = '\\boxed';
  const closings = closingBraces(text);
  for (
    let start = text.lastIndexOf(mark);
    start >= 0;
    start = start === 0 ? -1 : text.lastIndexOf(mark, start - 1)
  ) {
    let open = start + mark.length;
    while (/\s/.test(text[open] ?? '')) open += 1;
    const close = text[open] === '{' ? closings.get(open) : undefined;
    if (close !== undefined) return { start, content: text.slice(open + 1, close).trim() };
  }
  return null;
}

/** Where each brace that closes does; found once, since a text may open a box in every line. */
function closingBraces(text: string): Map<number, number> {
  const closings = new Map<number, number>();
  const open: number[] = [];
  for (const brace of text.matchAll(/[{}]/g)) {
    if (brace[0] === '{') open.push(brace.index);
    else {
      const from = open.pop();
      if (from !== undefined) closings.set(from, brace.index);
    }
  }
  return closings;
}
