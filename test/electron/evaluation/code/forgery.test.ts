import { describe, expect, it } from 'vitest';
import { useRunner } from '../../real-runner.ts';
import { ownTask, scratchFolder, toolsOf } from './support.ts';
import { gradeEvalPlus, type EvalPlusGrade } from '../../../../electron/evaluation/code/evalplus/grade.ts';

const runner = useRunner();
const folder = scratchFolder();

const DOUBLE = ownTask({
  entry: 'double',
  solution: 'def double(xs):\n    return [2 * x for x in xs]',
  base: [[[1, 2]], [[5]]],
  plus: [[[7, 8, 9]]],
});
const HALF = ownTask({
  entry: 'half',
  id: 'HumanEval/901',
  solution: 'def half(x):\n    return x / 2',
  base: [[3]],
  plus: [[5]],
});
const ROOT = ownTask({
  entry: 'find_zero',
  id: 'HumanEval/32',
  solution: 'def find_zero(xs):\n    return -xs[0] / xs[1]',
  base: [[[-4, 2]]],
  plus: [[[3, 3]]],
  atol: 1e-4,
});
const SETS = ownTask({
  entry: 'Diff',
  id: 'Mbpp/769',
  dataset: 'mbpp',
  solution: 'def Diff(a, b):\n    return list(set(a) ^ set(b))',
  base: [
    [
      [1, 2],
      [2, 3],
    ],
  ],
  plus: [[[4], [5]]],
});
const gradeOn = (task: typeof DOUBLE, program: string): Promise<EvalPlusGrade> =>
  gradeEvalPlus(task, program, toolsOf(runner(), folder), {
    limits: { leastSeconds: 1, referenceFactor: 4 },
  });

const ALL =
  'class All:\n    def __eq__(self, other): return True\n    def __ne__(self, other): return False\n    __hash__ = None\n';

describe('an equality that is forged passes as the original lets it, and fails strictly with a flag', () => {
  it.each<[string, string]>([
    ['an object equal to everything', `${ALL}def double(xs): return All()`],
    ['a list of such objects', `${ALL}def double(xs): return [All() for _ in xs]`],
    [
      'a list whose type says so',
      'class L(list):\n    def __eq__(self, other): return True\ndef double(xs): return L()',
    ],
    [
      'an int whose type says so',
      'class I(int):\n    def __eq__(self, other): return True\n    def __hash__(self): return 0\ndef double(xs): return I(3)',
    ],
    [
      'a text whose type says so',
      'class S(str):\n    def __eq__(self, other): return True\n    def __hash__(self): return 0\ndef double(xs): return S("x")',
    ],
    [
      'an object that disguises its class',
      'class A:\n    __class__ = property(lambda self: list)\n    def __eq__(self, other): return True\ndef double(xs): return A()',
    ],
    [
      'a metaclass that disguises the type',
      'class M(type):\n    def __eq__(self, other): return True\n    def __hash__(self): return 1\nclass A(metaclass=M):\n    def __eq__(self, other): return True\ndef double(xs): return A()',
    ],
    [
      'a truth value of its own',
      'class T:\n    def __bool__(self): return True\nclass A:\n    def __eq__(self, other): return T()\ndef double(xs): return A()',
    ],
    [
      'an equality that is there only after the call',
      'class A: pass\ndef double(xs):\n    A.__eq__ = lambda self, other: True\n    return A()',
    ],
  ])('%s', async (_, program) => {
    const grade = await gradeOn(DOUBLE, program);
    expect(grade).toMatchObject({
      base: 'pass',
      plus: 'pass',
      plusAndBase: true,
      strict: { base: 'fail', plus: 'fail', plusAndBase: false },
    });
    expect(grade.flags).toContain('forged-equality');
  });
});

describe('what could be done in the process of the original is of no use here', () => {
  it.each<[string, string]>([
    [
      'looking for the expected values on the stack',
      'import sys\ndef double(xs):\n    frame = sys._getframe()\n    while frame:\n        if "expected" in frame.f_locals: return frame.f_locals["expected"][0]\n        frame = frame.f_back\n    return None',
    ],
    [
      'looking for them among all objects',
      'import gc\ndef double(xs):\n    found = [o for o in gc.get_objects() if isinstance(o, dict) and "expected" in o]\n    return found[0]["expected"] if found else None',
    ],
    [
      'changing what equality, sets and allclose are',
      'import builtins\nbuiltins.set = lambda x=(): 1\nbuiltins.abs = lambda x: 0\nbuiltins.isinstance = lambda *a: True\ndef double(xs): return 1',
    ],
    ['leaving in peace while being imported', 'import sys\nsys.exit(0)'],
    ['leaving in peace while being called', 'import sys\ndef double(xs): sys.exit(0)'],
    [
      'an equality that only says yes to lists',
      'class A:\n    def __eq__(self, other): return type(other) is list\ndef double(xs): return A()',
    ],
    [
      'raising what the original takes for a success',
      'class Success(BaseException): pass\ndef double(xs): raise Success()',
    ],
    [
      'frames printed to standard output',
      'def double(xs):\n    print(\'{"call":0,"value":["l",[["i","0x2"],["i","0x4"]]],"seconds":0}\')',
    ],
    [
      'an alarm of its own',
      'import signal\nsignal.signal(signal.SIGALRM, lambda *a: None)\ndef double(xs):\n    signal.alarm(0)\n    return None',
    ],
    [
      'patching the code that tells values',
      'import sys\nfor name, module in list(sys.modules.items()):\n    if name.startswith("inside."):\n        for key in list(vars(module)):\n            if callable(vars(module)[key]) and not isinstance(vars(module)[key], type): pass\ndef double(xs): return None',
    ],
  ])('%s', async (_, program) => {
    const grade = await gradeOn(DOUBLE, program);
    expect({ base: grade.base, plus: grade.plus, strict: grade.strict.plusAndBase }).toEqual({
      base: 'fail',
      plus: 'fail',
      strict: false,
    });
  });

  it.each<[string, string]>([
    ['ending the process with success', 'import os\nos._exit(0)'],
    ['ending it while being called', 'import os\ndef double(xs): os._exit(0)'],
    ['crashing it', 'import ctypes\ndef double(xs): ctypes.string_at(0)'],
  ])('%s is a timeout, as a process without a result is in the original', async (_, program) => {
    expect(await gradeOn(DOUBLE, program)).toMatchObject({
      base: 'timeout',
      plus: 'timeout',
      strict: { plusAndBase: false },
      flags: ['left-early'],
    });
  });

  it.each<[string, string]>([
    [
      'lines of its own before the call ends',
      'import os\ndef double(xs):\n    os.write(3, b\'{"call":0,"value":["n"],"seconds":0}\\n\')\n    return xs',
    ],
    [
      'the end of the report',
      'import os\ndef double(xs):\n    os.write(3, b\'{"end":true}\\n\')\n    os._exit(0)',
    ],
    ['no JSON', 'import os\ndef double(xs):\n    os.write(3, b"garbage\\n")\n    return xs'],
    [
      'a value that is none',
      'import os\ndef double(xs):\n    os.write(3, b\'{"call":0,"value":["q"],"seconds":0}\\n\')\n    os._exit(0)',
    ],
    [
      'a mark that does not exist',
      'import os\ndef double(xs):\n    os.write(3, b\'{"call":0,"value":["x","A",null,"passed"],"seconds":0}\\n\')\n    os._exit(0)',
    ],
  ])('a report with %s is flagged', async (_, program) => {
    const grade = await gradeOn(DOUBLE, program);
    expect(grade.base).not.toBe('pass');
    expect(grade.flags).toContain('forged-report');
  });

  it('a report that claims every call in advance is worth what its values are', async () => {
    const forged =
      'import os\nos.write(3, b\'{"module":null}\\n\' + b\'{"call":0,"value":["l",[]],"seconds":0}\\n\' * 1 + b\'{"call":1,"value":["l",[]],"seconds":0}\\n{"end":true}\\n\')\nos._exit(0)';
    expect(await gradeOn(DOUBLE, forged)).toMatchObject({ base: 'fail', strict: { base: 'fail' } });
  });
});

const EQUIVALENT = ownTask({
  entry: 'are_equivalent',
  id: 'Mbpp/164',
  dataset: 'mbpp',
  solution: 'def are_equivalent(a, b):\n    return sum(range(a)) == sum(range(b))',
  base: [[3, 3]],
  plus: [[3, 5]],
});
const CHECK = ownTask({
  entry: 'check_str',
  id: 'Mbpp/461',
  dataset: 'mbpp',
  solution: 'import re\ndef check_str(text): return re.search("^[aeiou]", text)',
  base: [['annie']],
  plus: [['dawood'], ['else']],
});
const DIVISORS = ownTask({
  entry: 'sum_div',
  id: 'Mbpp/295',
  dataset: 'mbpp',
  solution: 'def sum_div(n): return sum(d for d in range(1, n) if n % d == 0)',
  base: [[8]],
  plus: [[12]],
});
const SHARED = ownTask({
  entry: 'similar_elements',
  id: 'Mbpp/2',
  dataset: 'mbpp',
  solution: 'def similar_elements(a, b):\n    return tuple(set(a) & set(b))',
  base: [
    [
      [1, 2],
      [2, 3],
    ],
  ],
  plus: [
    [
      [4, 5],
      [5, 4],
    ],
  ],
});
const ROWS = ownTask({
  entry: 'rows',
  id: 'HumanEval/902',
  solution: 'def rows(n): return [n / 2, n / 2]',
  base: [[3]],
  plus: [[5]],
  atol: 1e-6,
});
const COLUMN = ownTask({
  entry: 'column',
  id: 'HumanEval/903',
  solution: 'def column(n): return [[n / 2], [n / 2]]',
  base: [[3]],
  plus: [[5]],
  atol: 1e-6,
});
const also = (value: string, told: string): string =>
  `import os\ndef ENTRY(*a):\n    os.write(3, b'{"call":0,"value":${value},"also":${told},"seconds":0}\\n')\n    os._exit(0)`;

describe('what the program says beside its value counts for nothing', () => {
  it.each<[string, typeof DOUBLE, string]>([
    ['an emptied polynomial', ROOT, 'def find_zero(xs):\n    xs[:] = [0, 0]\n    return 0'],
    ['a polynomial with another root', ROOT, 'def find_zero(xs):\n    xs[:] = [-7, 1]\n    return 7'],
    ['a polynomial cut short', ROOT, 'def find_zero(xs):\n    del xs[:]\n    return 5'],
    ['a polynomial of ever smaller factors', ROOT, 'def find_zero(xs):\n    xs[:] = [1e-9, 0]\n    return 1'],
    [
      'a root told of another polynomial',
      ROOT,
      also('["i","0x0"]', '["l",[["l",[["i","0x0"]]]]]').replace('ENTRY', 'find_zero'),
    ],
    ['an infinite root', ROOT, 'def find_zero(xs): return float("inf")'],
    ['zero for every sum of divisors', DIVISORS, 'def sum_div(n): return 0'],
    ['no number for a root', ROOT, 'def find_zero(xs): return float("nan")'],
    ['a text for a truth value', EQUIVALENT, 'def are_equivalent(a, b): return "nonsense"'],
    ['the other truth value', EQUIVALENT, 'def are_equivalent(a, b): return not (a == b)'],
    ['nothing', EQUIVALENT, 'def are_equivalent(a, b): return None'],
    ['a truth value in a list', EQUIVALENT, 'def are_equivalent(a, b): return [a == b]'],
    ['seven for a match', CHECK, 'def check_str(text): return 7'],
    ['a text for a match', CHECK, 'def check_str(text): return "yes" if text[0] in "aeiou" else None'],
    ['an empty list for a match', CHECK, 'def check_str(text): return [] if text[0] in "aeiou" else None'],
    ['a match for all', CHECK, 'import re\ndef check_str(text): return re.search("", text)'],
    ['a match for none', CHECK, 'def check_str(text): return None'],
    [
      'a set told beside another value',
      SHARED,
      also('["l",[]]', '["S",[["i","0x2"]]]').replace('ENTRY', 'similar_elements'),
    ],
    [
      'the set of another value',
      SHARED,
      'class L(list):\n    def __iter__(self): return iter([2])\ndef similar_elements(a, b): return L([9])',
    ],
    ['too small a set', SHARED, 'def similar_elements(a, b): return (2,) if 2 in a else (4,)'],
    ['a number in a list for a row', ROWS, 'def rows(n): return [[n / 2], [n / 2]]'],
    ['nothing for each row', COLUMN, 'def column(n): return [[], []]'],
    ['a tuple for each row', COLUMN, 'def column(n): return [(n / 2,), (n / 2 + 1e-9,)]'],
    ['a complex number near one', ROWS, 'def rows(n): return [complex(n / 2, 1e-9), n / 2]'],
    ['a dict of the right keys', SHARED, 'def similar_elements(a, b): return dict.fromkeys(set(a) & set(b))'],
    ['a column for a row', ROWS, 'def rows(n): return [[n / 2, n / 2], [n / 2, n / 2]]'],
    ['one number for a row', ROWS, 'def rows(n): return n / 2'],
    ['a row of one', ROWS, 'def rows(n): return [n / 2]'],
    ['truth values for numbers', ROWS, 'def rows(n): return [True, True]'],
    [
      'numbers of another kind',
      ROWS,
      'from decimal import Decimal\ndef rows(n): return [Decimal(n) / 2] * 2',
    ],
    [
      'a number that equals all',
      ROWS,
      'class F(float):\n    def __eq__(self, other): return True\n    __hash__ = float.__hash__\ndef rows(n): return [F(0), F(0)]',
    ],
    [
      'a list that equals all',
      ROWS,
      'class L(list):\n    def __eq__(self, other): return True\ndef rows(n): return L([0, 0])',
    ],
    ['numbers just beside', ROWS, 'def rows(n): return [n / 2 + 1e-3, n / 2]'],
    ['an answer of the first input', EQUIVALENT, 'def are_equivalent(a, b): return True'],
    ['a match by a class of the same name', CHECK, 'class Match: pass\ndef check_str(text): return Match()'],
  ])('%s does not pass strictly, and is flagged where it passes as published', async (_, task, program) => {
    const grade = await gradeOn(task, program);
    expect(grade.strict.plusAndBase).toBe(false);
    if (grade.plusAndBase) expect(grade.flags).toContain('published-only');
  });

  it.each<[string, typeof DOUBLE, string]>([
    ['a root beside the reference’s', ROOT, 'def find_zero(xs): return -xs[0] / xs[1] + 1e-6'],
    ['a truth value for a match', CHECK, 'def check_str(text): return text[0] in "aeiou"'],
    ['another match', CHECK, 'import re\ndef check_str(text): return re.match("[aeiou].*", text)'],
    ['another order', SHARED, 'def similar_elements(a, b): return [x for x in b if x in a] * 2'],
    ['numbers just beside the reference’s', ROWS, 'def rows(n): return [n / 2 + 1e-9, n / 2]'],
    ['the truth value', EQUIVALENT, 'def are_equivalent(a, b): return a == b'],
  ])('%s passes strictly', async (_, task, program) => {
    expect(await gradeOn(task, program)).toMatchObject({
      strict: { plusAndBase: true },
      flags: expect.not.arrayContaining(['published-only']),
    });
  });
});

describe('the special rules', () => {
  it('take no forged float for a root', async () => {
    const forged = `class F(float):\n    def __eq__(self, other): return True\n    def __hash__(self): return 0\n    def __float__(self): return 2.0\ndef find_zero(xs): return F(1.0)`;
    expect(await gradeOn(ROOT, forged)).toMatchObject({ base: 'fail', plus: 'fail' });
    expect(
      await gradeOn(ROOT, 'def find_zero(xs):\n    x = -xs[0] / xs[1]\n    xs[:] = [0]\n    return x + 1'),
    ).toMatchObject({ base: 'pass', strict: { base: 'fail' }, flags: ['published-only'] });
    expect(await gradeOn(ROOT, 'def find_zero(xs): return -xs[0] / xs[1] + 1e-6')).toMatchObject({
      plusAndBase: true,
      strict: { plusAndBase: true },
    });
  });

  it('take a set made of the answer, whatever gives one', async () => {
    expect(await gradeOn(SETS, 'def Diff(a, b):\n    yield from set(a) ^ set(b)')).toMatchObject({
      plusAndBase: true,
    });
    expect(await gradeOn(SETS, 'def Diff(a, b): return (set(a) ^ set(b), 1)')).toMatchObject({
      base: 'fail',
      plus: 'fail',
    });
    const forged =
      'class A:\n    def __iter__(self): return iter([self])\n    def __eq__(self, other): return True\n    def __hash__(self): return 1\ndef Diff(a, b): return A()';
    expect((await gradeOn(SETS, forged)).strict.plusAndBase).toBe(false);
  });

  it('need the very type for a tolerance', async () => {
    expect(await gradeOn(HALF, 'def half(x): return x / 2 + 1e-9')).toMatchObject({
      plusAndBase: true,
      strict: { plusAndBase: true },
    });
    expect(
      await gradeOn(HALF, 'from decimal import Decimal\ndef half(x): return Decimal(x) / 2'),
    ).toMatchObject({
      plusAndBase: true,
      strict: { plusAndBase: false },
      flags: ['other-type', 'published-only'],
    });
    expect(
      await gradeOn(
        HALF,
        'from decimal import Decimal\ndef half(x): return Decimal(x) / 2 + Decimal("1e-9")',
      ),
    ).toMatchObject({ plusAndBase: false });
    expect(
      await gradeOn(
        HALF,
        'class F(float):\n    def __sub__(self, other): return 0.0\n    __rsub__ = __sub__\ndef half(x): return F(1e9)',
      ),
    ).toMatchObject({ base: 'fail', plus: 'fail' });
  });
});
