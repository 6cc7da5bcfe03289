import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../../../..');
/** Public files for tests, beside the checkout; they are never part of it. */
export const shared = join(root, '../shared/data');
export const hasShared = existsSync(shared);
export const sharedText = (name: string): string => readFileSync(join(shared, name), 'utf8');
export const CASES = join(root, 'resources/suites/reward-hacking');
export const SUPERVISOR = join(root, 'resources/models/supervisor/supervisor.f16.gguf');
export const never = new AbortController().signal;
