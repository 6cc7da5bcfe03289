export * from './prompt-pack.ts';
export * from './guidance.ts';
export * from './file-hash.ts';
export * from './resources.ts';
export * from './jsonl.ts';
export * from './models.ts';
