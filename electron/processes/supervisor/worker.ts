import { Socket } from 'node:net';
import { ModelHost } from './model-host.ts';
import { yieldToOthers } from './cores.ts';
import { serve } from './rpc-server.ts';

/**
 * The supervisor's process. The protocol runs on descriptor 3, so that whatever native code prints to stdout or stderr
 * goes to the log and cannot be taken for an answer. Its end means that the engine is gone.
 */
const CHANNEL = 3;

yieldToOthers();
const host = new ModelHost();
serve(new Socket({ fd: CHANNEL, readable: true, writable: true }), host.methods());
