import type { z } from 'zod';
import { type Document, isMap, isScalar, type LineCounter, type Pair, visit, type YAMLMap } from 'yaml';
import { outOfRange, wantedValue } from '../contract/index.ts';
import { quotable } from '../core/index.ts';

type Path = readonly PropertyKey[];

/** The line of a file in which a key stands, from 1; null where the file does not have it. */
export type LineOf = (path: Path) => number | null;

export const valueIn = (tree: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (section, key) => (section as Record<PropertyKey, unknown> | null | undefined)?.[key],
    tree,
  );

const nameIn = ({ key }: Pair): unknown => (isScalar(key) ? key.value : key);

/**
 * Where the keys of a document stand. One that is not at its path, because an earlier version had it in another section, is looked for by
 * its name; one that is nowhere is told at the section that lacks it.
 */
export function linesOf(document: Document, counter: LineCounter): LineOf {
  let named: Map<string, number[]> | null = null;
  const lineAt = (key: unknown): number | null =>
    isScalar(key) && key.range != null ? counter.linePos(key.range[0]).line : null;
  const linesNamed = (name: string): readonly number[] => {
    if (named === null) {
      const found = new Map<string, number[]>();
      visit(document, {
        Pair: (_, { key }) => {
          const line = lineAt(key);
          if (!isScalar(key) || line === null) return;
          const places = found.get(String(key.value)) ?? [];
          places.push(line);
          found.set(String(key.value), places);
        },
      });
      named = found;
    }
    return named.get(name) ?? [];
  };
  const known = new Map<YAMLMap, Map<unknown, Pair>>();
  const pairsOf = (section: YAMLMap): Map<unknown, Pair> => {
    const pairs = known.get(section) ?? new Map(section.items.map((pair) => [nameIn(pair), pair]));
    known.set(section, pairs);
    return pairs;
  };
  return (path) => {
    let node: unknown = document.contents;
    let section: number | null = null;
    for (const key of path) {
      const pair = isMap(node) ? pairsOf(node).get(key) : undefined;
      if (pair === undefined) {
        const alike = linesNamed(String(path.at(-1)));
        return alike.length === 1 ? (alike[0] as number) : section;
      }
      section = lineAt(pair.key);
      node = pair.value;
    }
    return section;
  };
}

/** Characters that all faults together may take; who has more to correct is told the rest at the next try. */
const MOST_CHARACTERS = 700;

type Fault = { line: number | null; single: string; among: string };

/** Everything that is wrong as one sentence, in the order of the lines. */
export function explainFaults(issues: readonly z.core.$ZodIssue[], tree: unknown, lineOf: LineOf): string {
  const told = new Set(issues.map(({ path }) => path.join('.')));
  const ranges = outOfRange(tree).filter(({ path }) => !told.has(path.join('.')));
  const faults = [...issues, ...ranges]
    .flatMap((issue) => faultsOf(issue, tree, lineOf))
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const [first] = faults;
  if (first === undefined) return 'The configuration is not valid.';
  if (faults.length === 1) return `The configuration ${first.single}.`;
  const shown: string[] = [];
  for (const { line, among } of faults) {
    const text = `${line === null ? '' : `line ${line}: `}${among}`;
    if (shown.length > 0 && shown.join('; ').length + text.length > MOST_CHARACTERS) break;
    shown.push(text);
  }
  const rest = faults.length - shown.length;
  return `The configuration has ${faults.length} things to correct: ${shown.join('; ')}${rest === 0 ? '' : `; and ${rest} more`}.`;
}

function faultsOf(issue: z.core.$ZodIssue, tree: unknown, lineOf: LineOf): Fault[] {
  const keyOf = (...parts: Path): string => quotable([...issue.path, ...parts].map(String).join('.'));
  const at = (line: number | null): string => (line === null ? '' : ` in line ${line}`);
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => {
      const line = lineOf([...issue.path, key]);
      return {
        line,
        single: `has an unknown key "${keyOf(key)}"${at(line)}; see the keys there are in New run under all parameters, or with "anchor run --help"`,
        among: `unknown key "${keyOf(key)}"`,
      };
    });
  const line = lineOf(issue.path);
  const wanted = wantedValue(issue);
  if (valueIn(tree, issue.path) === undefined)
    return [
      {
        line,
        single: `lacks a value for "${keyOf()}"${at(line)}; add one: ${wanted}`,
        among: `a value for "${keyOf()}" is missing: ${wanted}`,
      },
    ];
  return [
    {
      line,
      single: `value "${keyOf()}"${at(line)} is not valid: ${wanted}`,
      among: `"${keyOf()}" is not valid: ${wanted}`,
    },
  ];
}
