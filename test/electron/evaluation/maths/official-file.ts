import { Failure } from '../../../../electron/contract/index.ts';
import {
  mathsSuite,
  readMathsLine,
  type MathsItem,
  type MathsSuite,
} from '../../../../electron/evaluation/maths/suites.ts';

/**
 * Reads an official file, one JSON object a line.
 * @throws Failure `badFile` naming the line and the field that is missing or of another form, a repeated item, or an empty file.
 */
export function readMaths(content: string, suite: MathsSuite, file: string): MathsItem[] {
  const items: MathsItem[] = [];
  const lines = new Map<string, number>();
  for (const [index, line] of content
    .replace(/^\ufeff/, '')
    .split('\n')
    .entries()) {
    if (line.trim() === '') continue;
    const item = readMathsLine(line, suite, `Line ${index + 1} of ${file}`, index);
    const earlier = lines.get(item.id);
    if (earlier !== undefined)
      throw new Failure(
        'badFile',
        `Line ${index + 1} of ${file} repeats the item ${item.id} of line ${earlier}; take the file as it was published.`,
      );
    lines.set(item.id, index + 1);
    items.push(item);
  }
  if (items.length === 0)
    throw new Failure(
      'badFile',
      `${file} has no questions; choose the test.jsonl of ${mathsSuite(suite).title}.`,
    );
  return items;
}
