import { killEach } from './kill-each.ts';

// `kill.full.test.ts` strikes at the ends too, and a GGUF model's answers, which come in batches.
killEach([['policy', 17]]);
