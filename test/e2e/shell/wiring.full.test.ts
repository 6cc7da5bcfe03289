// @module-tag full
import { afterEach, describe } from 'vitest';
import { noChromium, Stage } from './labs.ts';
import { missEach, WIRES } from './wires.ts';

if (noChromium !== null)
  process.stderr.write(`skipped: the shell's wiring in a real Chromium: ${noChromium}\n`);

describe.skipIf(noChromium !== null)('the start of the shell', () => {
  const stage = new Stage();
  afterEach(() => stage.clear(), 60_000);
  missEach(stage, WIRES.slice(1));
});
