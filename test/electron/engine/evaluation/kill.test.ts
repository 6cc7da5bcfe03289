import { killEach } from './kill-each.ts';

// A checkpoint's answers come one by one, a GGUF model's in batches; `kill.full.test.ts` strikes at the ends too.
killEach([
  ['policy', 17],
  ['gguf', 3],
]);
