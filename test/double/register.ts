/** `node --import test/double/register.ts test/double/run.ts <application folder>`: whatever imports `electron` gets the stand-in. */
import { registerHooks } from 'node:module';

const standIn = new URL('./electron.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'electron' || specifier === 'electron/main'
      ? { url: standIn, shortCircuit: true }
      : next(specifier, context),
});
