export { useCommand, useCommands, type Command } from './registry.ts';
export { bindings, isTyping, useKeys } from './keys.ts';
