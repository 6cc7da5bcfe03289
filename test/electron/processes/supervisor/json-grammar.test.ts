import { describe, expect, it } from 'vitest';
import { jsonGrammar } from '../../../../electron/processes/supervisor/answer-schema.ts';

const root = (schema: Record<string, unknown>): string => jsonGrammar(schema).split('\n')[0] ?? '';

describe('a grammar for a schema', () => {
  it('writes objects as JSON.stringify does, properties in the order of the schema', () => {
    expect(root({ type: 'object', properties: { b: { enum: ['x', 'y'] }, a: { type: 'boolean' } } })).toBe(
      'root ::= "{" "\\"b\\":" ("\\"x\\"" | "\\"y\\"") ",\\"a\\":" ("true" | "false") "}"',
    );
  });

  it('escapes what is special to JSON and to the grammar', () => {
    expect(root({ const: 'say "no" \\ now\n' })).toBe(
      'root ::= "\\"say \\\\\\"no\\\\\\" \\\\\\\\ now\\\\n\\""',
    );
  });

  it.each<[string, Record<string, unknown>, string]>([
    [
      'up to two items',
      { type: 'array', items: { const: 1 }, maxItems: 2 },
      'root ::= ("[]" | "[" "1" ("," "1"){0,1} "]")',
    ],
    [
      'two or three items',
      { type: 'array', items: { const: 1 }, minItems: 2, maxItems: 3 },
      'root ::= "[" "1" ("," "1"){1,2} "]"',
    ],
    ['no items', { type: 'array', items: { const: 1 }, maxItems: 0 }, 'root ::= "[]"'],
    ['short strings', { type: 'string', maxLength: 60 }, 'root ::= "\\"" char{0,60} "\\""'],
    [
      'long strings, bounded by the token limit',
      { type: 'string', maxLength: 5000 },
      'root ::= "\\"" char* "\\""',
    ],
    ['one of several', { oneOf: [{ type: 'null' }, { type: 'integer' }] }, 'root ::= ("null" | integer)'],
  ])('knows %s', (_what, schema, expected) => {
    expect(root(schema)).toBe(expected.replace('("null"', '("null"'));
  });

  it.each<[string, Record<string, unknown>, RegExp]>([
    [
      'a number',
      { type: 'object', properties: { score: { type: 'number' } } },
      /schema\.score has the type "number"/,
    ],
    ['a minimum', { type: 'integer', minimum: 0 }, /schema uses "minimum"/],
    [
      'a pattern',
      { type: 'object', properties: { a: { type: 'string', pattern: 'x' } } },
      /schema\.a uses "pattern"/,
    ],
    ['an endless list', { type: 'array', items: { const: 1 } }, /array without maxItems/],
    ['an empty enumeration', { enum: [] }, /allows no value/],
    ['a length of -1', { type: 'string', maxLength: -1 }, /schema\.maxLength is not a count/],
  ])('refuses %s, naming the place', (_what, schema, sentence) => {
    expect(() => jsonGrammar(schema)).toThrow(sentence);
  });
});
