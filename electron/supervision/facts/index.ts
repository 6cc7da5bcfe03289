export * from './item-facts.ts';
export * from './facts-line.ts';
export type { ParsedProgram, ProgramFacts } from './program-reader.ts';
export { isRestricted } from './request-words.ts';
