import { describe, expect, it } from 'vitest';
import { numberFromWords, compatibleForm } from '../../../../electron/evaluation/maths/normal/compatible.ts';
import {
  sameNumber,
  withinTolerance,
  exactNumber,
  repairedForm,
} from '../../../../electron/evaluation/maths/normal/repaired.ts';

describe('the published form of an answer', () => {
  it.each([
    ['025', '25'],
    ['27.0', '27'],
    ['12.500', '12.500'],
    ['.5', '0.5'],
    ['50\\%', '50'],
    ['\\$18.90', '18.90'],
    ['45^{\\circ}', '45'],
    ['x=7', '7'],
    ['k = 3', '3'],
    ['abc=3', 'abc=3'],
    ['\\dfrac12', '\\frac{1}{2}'],
    ['\\tfrac1{72}', '\\frac{1}{72}'],
    ['3/4', '\\frac{3}{4}'],
    ['-3/4', '\\frac{-3}{4}'],
    ['03/4', '03/4'],
    ['\\sqrt2', '\\sqrt{2}'],
    ['10 \\text{ cm}', '10'],
    ['5 sq m', '5'],
    ['x \\in [-2,7]', 'x\\in[-2,7]'],
    ['x\\in[-2,7]', '[-2,7]'],
    ['\\left( 3, 4 \\right)', '(3,4)'],
    ['(-\\infty,\\infty)', '\\mathbb{R}'],
    ['3+2j', '3+2i'],
    ['forty-two', '42'],
    ['a \\neq 1', '\\ne1'],
    ['\\begin{array}{cc}1&2\\end{array}', '\\begin{pmatrix}1&2\\end{pmatrix}'],
    ['inf', '\\infty'],
    ['7.', '7'],
    ['4\\!2', '42'],
    ['\\frac', '\\frac'],
  ])('of %s is %s', (answer, form) => expect(compatibleForm(answer)).toBe(form));
  it('reads digits and white space as Python does', () => {
    expect(compatibleForm('\u0661\u0662')).toBe('12');
    expect(compatibleForm('\uff15')).toBe('5');
    expect(numberFromWords('forty\u0085two')).toBe('42');
    expect(numberFromWords('forty\u001ftwo')).toBe('42');
    expect(numberFromWords('forty\ufefftwo')).toBeNull();
    expect(compatibleForm('\u001f7\u0085')).toBe('7');
    expect(compatibleForm('5\\text{a\u2028b}')).toBe('5');
  });
  it('has the published damage', () => {
    expect(compatibleForm('\\boxed{5 \\text{ cm}}')).toBe('\\boxed{5');
    expect(compatibleForm('\\boxed{4:30 p.m.}')).toBe('\\boxed{4:30p..}');
    expect(compatibleForm('\\text{east}')).toBe('');
    expect(compatibleForm('10{,}000')).toBe('10{,}000');
  });
  it('keeps units where the set has units of its own', () => {
    expect([compatibleForm('4 m'), compatibleForm('4 m', true)]).toEqual(['4', '4m']);
  });
});

describe('the repaired form', () => {
  it.each([
    ['\\text{east}', 'east'],
    ['\\boxed{5 \\text{ cm}}', '5'],
    ['4:30 p.m.', '4:30 pm'],
    ['4:30\\text{ p.m.}', '4:30 pm'],
    ['10{,}000', '10{,}000'],
    ['864 \\mbox{ inches}^2', '864'],
    ['6m', '6m'],
    ['6 \\mathrm{~m}', '6'],
    ['3\\mathrm{i}', '3i'],
    ['12 apples', '12'],
    ['5 square feet', '5'],
    ['(a+5)(b+2)', '(a+5)(b+2)'],
    ['2x=4', '2x=4'],
    ['x = 4', '4'],
    ['a=2, a=3', 'a=2,a=3'],
    ['\\frac43', '\\frac{4}{3}'],
    ['\\text{two hundred}', '200'],
    ['two-digit', 'two-digit'],
    ['10,\\!080', '10,080'],
    ['3.00', '3'],
    ['3.05', '3.05'],
    ['45^\\circ', '45'],
    ['50\\%', '50'],
    ['\\textbf{(A)}', '(A)'],
    ['sand and band', 'sand and band'],
    ['\\log 2', '\\log2'],
    ['a b', 'a b'],
    ['\\left(3,\\, 4\\right)', '(3,4)'],
    ['\\text{12 and } x', '12and x'],
    ['\\boxed{\\boxed{7}}', '7'],
    ['minutes', 'minutes'],
    ['$\\{1, 2\\}$', '\\{1,2\\}'],
    ['p - q', 'p-q'],
  ])('of %s is %s', (answer, form) => expect(repairedForm(answer)).toBe(form));
  it('is the same when it is made twice', () => {
    for (const text of [
      '5 \\text{ cm}',
      'x = 4',
      '\\text{two hundred}',
      '4:30 p.m.',
      '\\frac43',
      '10,\\!080',
    ])
      expect(repairedForm(repairedForm(text))).toBe(repairedForm(text));
  });
});

describe('numbers in words', () => {
  it.each([
    ['007', '7'],
    ['two million twenty-three thousand and forty nine', '2023049'],
    ['one hundred and five', '105'],
    ['Nineteen', '19'],
    ['two point five', '2.5'],
    ['point', '0'],
    ['five point zero', '5.0'],
    ['one billion two', '1000000002'],
  ])('%s is %s', (words, digits) => expect(numberFromWords(words)).toBe(digits));
  it.each(['apples', 'thousand thousand', 'thousand million two', '-5x', '', 'million two thousand'])(
    '%s is none',
    (words) => expect(numberFromWords(words)).toBeNull(),
  );
});

describe('an exact number', () => {
  const same = (one: string, other: string, powers = false): boolean =>
    sameNumber(exactNumber(one, powers)!, exactNumber(other, powers)!);
  it.each([
    ['7', '007'],
    ['7', '7.0'],
    ['0.5', '\\frac{1}{2}'],
    ['-\\frac{3}{4}', '-0.75'],
    ['\\frac{-3}{4}', '-3/4'],
    ['1,024', '1024'],
    ['10{,}000', '10000'],
    ['\\boxed{7}', '7'],
    ['-0', '0'],
    ['.25', '1/4'],
    ['12345678901234567890', '12345678901234567890.0'],
  ])('%s equals %s', (one, other) => expect(same(one, other)).toBe(true));
  it('is told from the next one however large it is', () => {
    expect(same('123456789012345678901', '123456789012345678902')).toBe(false);
    expect(same('0.1', '\\frac{1}{3}')).toBe(false);
  });
  it('with a power of ten is one only where asked', () => {
    expect(exactNumber('4.5e33')).toBeNull();
    expect(same('4.5e33', '4.5 \\times 10^{33}', true)).toBe(true);
    expect(same('2e-3', '0.002', true)).toBe(true);
  });
  it.each([
    '',
    'x',
    '1,2',
    '1,2345',
    '\\frac{1}{0}',
    '1/2/3',
    '\\sqrt{4}',
    '1e999',
    '7%',
    '--1',
    '9'.repeat(401),
    '.',
    '(5)',
  ])('is not %s', (text) => expect(exactNumber(text)).toBeNull());
  it('is within a tolerance by exact arithmetic', () => {
    expect(withinTolerance(exactNumber('4.3')!, exactNumber('4.2')!, 0.1)).toBe(true);
    expect(withinTolerance(exactNumber('4.31')!, exactNumber('4.2')!, 0.1)).toBe(false);
  });
});
