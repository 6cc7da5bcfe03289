import type { Frame } from '../../contract/index.ts';
import { parseLiteral } from '../../core/index.ts';

/** Kind of Python literal an answer is; `none` when it is not a single literal. */
export type LiteralKind =
  | 'int'
  | 'float'
  | 'bool'
  | 'None'
  | 'str'
  | 'bytes'
  | 'list'
  | 'tuple'
  | 'set'
  | 'dict'
  | 'complex'
  | 'none';

const KINDS: Record<Frame[0], LiteralKind> = {
  n: 'None',
  b: 'bool',
  i: 'int',
  f: 'float',
  z: 'complex',
  s: 'str',
  y: 'bytes',
  l: 'list',
  t: 'tuple',
  S: 'set',
  F: 'set',
  d: 'dict',
};

export function literalKind(text: string): LiteralKind {
  const parsed = parseLiteral(text);
  return parsed.ok ? KINDS[parsed.frame[0]] : 'none';
}
