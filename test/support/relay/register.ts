import { registerHooks } from 'node:module';

/**
 * Loaded before the program (`node --import`): adds the framework of relay.ts by the three lines that a framework of the product
 * has in the registries, and by nothing else.
 */
const LINES = [
  {
    file: '/electron/contract/frameworks/index.ts',
    before: '  rzeroConfigSchema,\n]',
    after: '  rzeroConfigSchema,\n  relayConfigSchema,\n]',
    imports: `import { RELAY_BATCHES, relayConfigSchema } from '${new URL('contract.ts', import.meta.url).href}';`,
  },
  {
    file: '/electron/contract/frameworks/index.ts',
    before: "'fixed-tasks': FIXED_TASKS_BATCHES,",
    after: "'fixed-tasks': FIXED_TASKS_BATCHES, relay: RELAY_BATCHES,",
    imports: '',
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
    const lines = LINES.filter(({ file }) => url.endsWith(file));
    if (lines.length === 0) return loaded;
    const source = lines.reduce((text, { before, after, imports }) => {
      if (!text.includes(before)) throw new Error(`${url} no longer has the line ${before}.`);
      return `${imports}\n${text.replace(before, after)}`;
    }, String(loaded.source));
    return { ...loaded, source };
  },
});
