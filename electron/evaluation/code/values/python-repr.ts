import { renderLiteral } from '../../../core/index.ts';
import type { ObservedValue } from '../../../processes/index.ts';
import { isPlain } from './compare.ts';

/**
 * What Python's repr() writes of a value that a graded program returned. Of another type than plain data it is the type's name around
 * what the value compares as (`Counter({'a': 1})`), or the name alone; a value told by its digest has no text.
 */
export function pythonRepr(value: ObservedValue): string {
  if (isPlain(value)) return renderLiteral(value, 'repr');
  switch (value[0]) {
    case 'x':
      return value[2] === null ? `<${value[1]} object>` : `${value[1]}(${pythonRepr(value[2])})`;
    case 'h':
      return '<too large to be shown>';
    case 'l':
      return `[${value[1].map(pythonRepr).join(', ')}]`;
    case 't':
      return `(${value[1].map(pythonRepr).join(', ')}${value[1].length === 1 ? ',' : ''})`;
    case 'S':
      return `{${value[1].map(pythonRepr).join(', ')}}`;
    case 'F':
      return `frozenset({${value[1].map(pythonRepr).join(', ')}})`;
    case 'd':
      return `{${value[1].map((pair) => pair.map(pythonRepr).join(': ')).join(', ')}}`;
    default:
      return renderLiteral(value, 'repr');
  }
}
