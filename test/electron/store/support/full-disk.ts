import { closeSync, openSync, writeSync } from 'node:fs';
import { expect } from 'vitest';

/** Takes every free page of the disk. */
export function fillUp(file: string): void {
  const ballast = openSync(file, 'w');
  expect(() => {
    for (;;) writeSync(ballast, Buffer.alloc(4096));
  }).toThrow(/ENOSPC/);
  closeSync(ballast);
}
