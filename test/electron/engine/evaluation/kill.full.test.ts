// @module-tag full
import { killEach } from './kill-each.ts';

killEach([
  ['policy', 1],
  ['policy', 40],
  ['gguf', 3],
  ['gguf', 20],
]);
