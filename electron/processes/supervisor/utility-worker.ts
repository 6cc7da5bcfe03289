import { type BindingTestMessage, brokerBindingTests, type Port, PortStream } from './utility-process.ts';
import { yieldToOthers } from './cores.ts';

/** Electron gives it to utility processes. */
type ParentPort = {
  on(event: 'message', listener: (event: { data: unknown; ports: Port[] }) => void): unknown;
  postMessage(message: unknown, transfer: never[]): void;
};
type FromShell = BindingTestMessage | { kind: 'channel' };

/**
 * The supervisor's process where the shell starts it: the same methods as worker.ts, with the protocol on a message port that
 * leads to the engine. What native code prints goes to the shell and from there to the log.
 */
const { parentPort } = process as unknown as { parentPort: ParentPort };

yieldToOthers();

// One listener from the first moment: the port keeps messages only until somebody listens.
const channel = Promise.withResolvers<Port>();
const testListeners: ((message: BindingTestMessage) => void)[] = [];
parentPort.on('message', ({ data, ports: [port] }) => {
  const message = data as FromShell;
  if (message.kind === 'channel' && port !== undefined) channel.resolve(port);
  if (message.kind === 'bindingTest') for (const listener of testListeners) listener(message);
});
brokerBindingTests({
  send: (message) => parentPort.postMessage(message, []),
  onMessage: (listener) => void testListeners.push(listener),
});

// Only now, because loading them reaches node-llama-cpp, whose questions about Electron must find the broker.
const [{ ModelHost }, { serve }] = await Promise.all([import('./model-host.ts'), import('./rpc-server.ts')]);
const stream = new PortStream();
serve(stream, new ModelHost().methods());
stream.attach(await channel.promise);
