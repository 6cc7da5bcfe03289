export * from './item-facts.ts';
export * from './facts-line.ts';
export { parsedProgram, type ParsedProgram, type ProgramFacts } from './program-reader.ts';
export { isRestricted } from './request-words.ts';
