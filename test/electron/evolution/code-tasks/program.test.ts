import { describe, expect, it } from 'vitest';
import {
  bannedCall,
  bannedImport,
  bannedImportCompat,
  countFunctionsCompat,
  importLines,
  renameEntry,
  renameEntryCompat,
} from '../../../../electron/evolution/code-tasks/checking/program.ts';
import { tokenizeProgram } from '../../../../electron/evolution/code-tasks/checking/program-tokens.ts';

const lines = (...parts: string[]): string => parts.join('\n');
const rename = (program: string, name: string, line = 1): string | null =>
  renameEntry(program, { name, line });

describe('renaming the entry function', () => {
  it('renames the def and its bare uses, calls and values alike', () => {
    expect(
      rename(lines('def fact(n):', ' return 1 if n < 2 else n*fact(n-1) + sum(map(fact, []))'), 'fact'),
    ).toBe(lines('def f(n):', ' return 1 if n < 2 else n*f(n-1) + sum(map(f, []))'));
  });

  it('leaves methods, attributes, strings, comments and longer names alone', () => {
    const body = lines(
      ' d = {1: 2} # get it',
      ' s = "get(" + \'get\'',
      ' return d.get(x, budget_get(s).get)',
    );
    expect(rename(lines('def get(x):', body), 'get')).toBe(lines('def f(x):', body));
  });

  it('leaves a method of the same name alone when the function is not used by name', () => {
    const program = lines(
      'class Box:',
      '  def get(self):',
      '    return 1',
      'def get(x):',
      '  return Box().get()',
    );
    expect(rename(program, 'get', 4)).toBe(
      lines('class Box:', '  def get(self):', '    return 1', 'def f(x):', '  return Box().get()'),
    );
  });

  it('keeps a program whose entry is f', () =>
    expect(rename('def f(x):\n return x', 'f')).toBe('def f(x):\n return x'));

  it.each([
    ['f is taken', lines('def g(f):', ' return f')],
    ['a keyword has its name', lines('def g(x, y=1):', ' return dict(g=2)')],
    ['a default has its name', lines('def g(x):', ' h = lambda g=1: g', ' return h()')],
    ['it is bound again', lines('def g(x):', ' return x', 'g = memo(g)')],
    ['an import binds it', lines('def g(x):', ' import math as g', ' return g.pi')],
    ['a nested function may be meant', lines('def g(x):', ' def g(y):', '  return y', ' return g(x)')],
    ['an f-string mentions it', lines('def g(x):', " return f'{g.__name__}'")],
  ])('gives up when %s', (_, program) => expect(rename(program, 'g')).toBeNull());

  it("the original's pattern renames method calls and a class's __init__", () => {
    expect(renameEntryCompat(lines('def get(d):', ' return d.get(1)'), 'first')).toBe(
      lines('def f(d):', ' return d.f(1)'),
    );
    expect(
      renameEntryCompat(
        lines('class A:', ' def __init__(self):', '  pass', 'def g(x):', ' return A()'),
        'first',
      ),
    ).toContain('def f(self)');
  });
  it('any-last takes the last function unless one is f', () => {
    expect(
      renameEntryCompat(lines('def a(x):', ' return x', 'def b(x):', ' return a(x)'), 'any-last'),
    ).toContain('def f(x):\n return a(x)');
    expect(
      renameEntryCompat(lines('def f(x):', ' return x', 'def b(x):', ' return x'), 'any-last'),
    ).toContain('def b(x)');
  });
});

describe('tokens', () => {
  it('cover the text in order and never split strings or numbers', () => {
    const program =
      'x = r"a\\"b" + b\'c\' # "no"\ny = 0x1F + 1.5e-3j + .5 // 2\nz = """multi\nline"""; w = [...]';
    expect(tokenizeProgram(program).map(({ text }) => text)).toEqual([
      'x',
      '=',
      'r"a\\"b"',
      '+',
      "b'c'",
      'y',
      '=',
      '0x1F',
      '+',
      '1.5e-3j',
      '+',
      '.5',
      '//',
      '2',
      'z',
      '=',
      '"""multi\nline"""',
      ';',
      'w',
      '=',
      '[',
      '...',
      ']',
    ]);
    for (const { text, start } of tokenizeProgram(program))
      expect(program.slice(start, start + text.length)).toBe(text);
    expect(tokenizeProgram(program).find(({ text }) => text === 'w')?.line).toBe(4);
  });
  it('stay linear on hostile text', () => {
    const started = performance.now();
    for (const part of ['"', "'''", '\\', '"""a', '0x', '1_', '#']) tokenizeProgram(part.repeat(6000));
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

describe('banned names', () => {
  const banned = ['os', 'sys.exit', 'random'];
  it('ban a module and what is below it, and nothing that merely starts alike', () => {
    expect([
      bannedImport(['os.path'], banned),
      bannedImport(['osmium', 'math'], banned),
      bannedImport(['sys'], banned),
    ]).toEqual(['os.path', null, null]);
  });
  it('in the original are compared with single components, so dotted words never match', () => {
    expect([
      bannedImportCompat(['os.path'], ['os.path']),
      bannedImportCompat(['numpy.random'], banned),
    ]).toEqual([null, 'numpy.random']);
  });
  it('ban builtins that reach outside, but not functions that are named alike', () => {
    expect(bannedCall(['process_input', 'max'], [])).toBeNull();
    expect(bannedCall(['x.open', '__import__'], [])).toBe('__import__');
    expect(bannedCall(['input'], [{ name: 'input', line: 1, args: [], nested: false }])).toBeNull();
  });
});

it('function counts of the original see nested defs and docstrings, import lines only the module level', () => {
  expect(countFunctionsCompat(lines('def a(x):', ' """', ' def b(y):', ' """', ' def c(z): pass'))).toBe(3);
  expect(importLines(lines('import math, re', 'from os import path', 'def f(x):', ' import json'))).toEqual([
    'import math, re',
    'from os import path',
  ]);
});
