import { registerHooks } from 'node:module';

/**
 * Loaded before the program (`node --import`): adds the framework of relay.ts by the two lines that a framework of the product
 * has in the registries, and by nothing else.
 */
const LINES = [
  {
    file: '/electron/contract/frameworks/index.ts',
    before: '[azrConfigSchema, fixedTasksConfigSchema]',
    after: '[azrConfigSchema, fixedTasksConfigSchema, relayConfigSchema]',
    imports: `import { relayConfigSchema } from '${new URL('contract.ts', import.meta.url).href}';`,
  },
  {
    file: '/electron/evolution/frameworks/registry.ts',
    before: "'fixed-tasks': anyFramework(fixedTasks),",
    after: "'fixed-tasks': anyFramework(fixedTasks), get relay() { return relay; },",
    imports: `import { relay } from '${new URL('relay.ts', import.meta.url).href}';`,
  },
];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const line = LINES.find(({ file }) => url.endsWith(file));
    if (line === undefined) return loaded;
    const text = String(loaded.source);
    if (!text.includes(line.before)) throw new Error(`${url} no longer has the line ${line.before}.`);
    return { ...loaded, source: `${line.imports}\n${text.replace(line.before, line.after)}` };
  },
});
