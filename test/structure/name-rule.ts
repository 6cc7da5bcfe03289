import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path/posix';
import { parseSync } from 'oxc-parser';
import { sourceFiles } from './room-rule.ts';

/** One kind of thing that is added by a folder and a registry line. Paths are relative to electron/. */
export type Kind = {
  what: string;
  names: readonly string[];
  /** The folder of an entry. */
  folder: (name: string) => string;
  /** Files that list the entries. */
  registries: readonly string[];
  /** Other texts that stand for an entry, such as the names of its templates. */
  aliases?: (name: string) => readonly string[];
  /** Names that mean other things too: only comparisons with a value called like this are held against a file. */
  ordinary?: { names: readonly string[]; comparedWith: RegExp };
  /** Places that may name an entry, each for the reason given. */
  exceptions?: Readonly<Record<string, string>>;
};

export type Mention = { file: string; names: string };

type Node = { type: string; start: number; end: number } & Record<string, unknown>;

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) return value.forEach((item) => walk(item, visit));
  if (typeof value !== 'object' || value === null) return;
  if (typeof (value as Node).type === 'string') visit(value as Node);
  for (const child of Object.values(value)) walk(child, visit);
}

const textOf = (node: unknown): string | null => {
  const { type, value } = node as { type?: string; value?: unknown };
  return type === 'Literal' && typeof value === 'string' ? value : null;
};

/** Every entry of the kind that a file names although it is neither its folder nor a registry. */
export function mentionsIn(kind: Kind, file: string, source: string): Mention[] {
  if (
    kind.registries.includes(file) ||
    Object.keys(kind.exceptions ?? {}).some((place) => file === place || file.startsWith(`${place}/`))
  )
    return [];
  const found: Mention[] = [];
  const foreign = kind.names.filter((name) => !file.startsWith(`${kind.folder(name)}/`));
  const plain = foreign.filter((name) => !kind.ordinary?.names.includes(name));
  const aliases = new Map(
    foreign.flatMap((name) => (kind.aliases?.(name) ?? []).map((alias) => [alias, name] as const)),
  );
  const named = (name: string | undefined): void => {
    if (name !== undefined) found.push({ file, names: name });
  };
  walk(parseSync(file, source).program, (node) => {
    const text = textOf(node);
    if (text !== null) {
      const imported = text.startsWith('.') ? join(dirname(file), text) : null;
      named(
        plain.find((name) => text === name) ??
          aliases.get(text) ??
          foreign.find((name) => imported?.startsWith(`${kind.folder(name)}/`)),
      );
    }
    if (node.type === 'TemplateElement') named(aliases.get((node['value'] as { cooked: string }).cooked));
    if (node.type === 'Property' && node['computed'] === false)
      named(plain.find((name) => (node['key'] as { name?: string }).name === name));
    if (node.type === 'BinaryExpression') {
      const [left, right] = [node['left'], node['right']] as [Node, Node];
      for (const [one, other] of [
        [left, right],
        [right, left],
      ] as const) {
        if (kind.ordinary?.comparedWith.test(source.slice(other.start, other.end)) === true)
          named(kind.ordinary.names.find((name) => foreign.includes(name) && textOf(one) === name));
      }
    }
    if (
      node.type === 'SwitchStatement' &&
      kind.ordinary?.comparedWith.test(
        source.slice((node['discriminant'] as Node).start, (node['discriminant'] as Node).end),
      ) === true
    ) {
      for (const { test } of node['cases'] as { test: unknown }[])
        named(
          kind.ordinary.names.find(
            (name) => test !== null && foreign.includes(name) && textOf(test) === name,
          ),
        );
    }
  });
  return found;
}

export function mentionsEverywhere(kind: Kind, electron: string): Mention[] {
  return sourceFiles(electron).flatMap((file) =>
    mentionsIn(kind, file, readFileSync(join(electron, file), 'utf8')),
  );
}
