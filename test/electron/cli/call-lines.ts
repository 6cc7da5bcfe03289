/** Child: carries out the command lines in argv[2], a JSON list of lists, one after the other, and writes what each came to. */
import { callAnchor } from './call-anchor.ts';

const lines = JSON.parse(process.argv[2] ?? '[]') as string[][];
const results: Awaited<ReturnType<typeof callAnchor>>[] = [];
for (const line of lines) results.push(await callAnchor(...line));
process.stdout.write(JSON.stringify(results));
process.exit(0);
