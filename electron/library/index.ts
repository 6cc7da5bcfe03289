export * from './prompt-pack.ts';
export * from './guidance.ts';
