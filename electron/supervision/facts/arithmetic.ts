/**
 * Value of a closed arithmetic expression over integers, `+ - * // % ()`, `abs`, `max` and `min`, with Python's floor division.
 * Null when the text is anything else, divides by zero or leaves the safe integers.
 */
export function evaluateInteger(text: string): number | null {
  const tokens = text.match(/\s*(?:\d+|\/\/|abs|max|min|[-+*%(),])/gy)?.map((token) => token.trim());
  if (!tokens || tokens.join('') !== text.replace(/\s+/g, '') || text.length > 200) return null;
  let at = 0;
  const fail = (): never => {
    throw new RangeError('not a closed integer expression');
  };
  const eat = (token: string): boolean => tokens[at] === token && ++at > 0;
  const expect = (token: string): void => {
    if (!eat(token)) fail();
  };
  const safe = (value: number): number => (Number.isSafeInteger(value) ? value : fail());

  function sum(): number {
    let value = product();
    for (;;) {
      if (eat('+')) value = safe(value + product());
      else if (eat('-')) value = safe(value - product());
      else return value;
    }
  }
  function product(): number {
    let value = unary();
    for (;;) {
      if (eat('*')) value = safe(value * unary());
      else if (eat('//')) value = quotient(value, unary());
      else if (eat('%')) {
        const divisor = unary();
        value -= divisor * quotient(value, divisor);
      } else return value;
    }
  }
  const quotient = (left: number, right: number): number => (right === 0 ? fail() : Math.floor(left / right));
  function unary(): number {
    return eat('-') ? -unary() : atom();
  }
  function atom(): number {
    const token = tokens![at++] ?? fail();
    if (/^\d+$/.test(token)) return safe(Number(token));
    if (token === '(') {
      const value = sum();
      expect(')');
      return value;
    }
    if (token !== 'abs' && token !== 'max' && token !== 'min') return fail();
    expect('(');
    const given = [sum()];
    while (eat(',')) given.push(sum());
    expect(')');
    if (token === 'abs') return given.length === 1 ? Math.abs(given[0]!) : fail();
    return token === 'max' ? Math.max(...given) : Math.min(...given);
  }
  try {
    const value = sum();
    // Adding zero turns −0 into 0, which is the only zero Python's integers have.
    return at === tokens.length ? value + 0 : null;
  } catch (error) {
    if (error instanceof RangeError) return null;
    throw error;
  }
}
