import { Failure, SUITE_GROUPS, type SuiteGroup } from '../../contract/index.ts';
import { SUITES } from '../registry.ts';
import { IMPORTED_SUITES } from '../suites/imported/registry.ts';
import { bundled } from './bundled.ts';
import type { AnyGradedSuite, SuiteProtocol } from './graded-suite.ts';

/** Every suite, bundled and of imported data; the order is the order of tables. */
export const GRADED_SUITES: readonly AnyGradedSuite[] = [
  ...IMPORTED_SUITES,
  ...SUITES.map((suite) => bundled(suite)),
];

/** @throws Failure `unknownSuite` (exit code 2) naming the suites there are. */
export function gradedSuite(name: string): AnyGradedSuite {
  const suite = GRADED_SUITES.find((candidate) => candidate.name === name);
  if (suite === undefined)
    throw new Failure(
      'unknownSuite',
      `There is no suite "${name}"; the suites are ${GRADED_SUITES.map((entry) => entry.name).join(', ')}.`,
      2,
    );
  return suite;
}

/** "mini": one of every kind, quick, for the embedded policy. A group's name: all of that group. */
export const SUITE_SETS = ['mini', ...SUITE_GROUPS] as const;

/** The suites that names, groups and sets mean, in the order of tables, each once. @throws Failure `unknownSuite` (exit code 2). */
export function suitesNamed(names: readonly string[]): AnyGradedSuite[] {
  const wanted = new Set(
    names.flatMap((name): AnyGradedSuite[] => {
      if (name === 'mini') return GRADED_SUITES.filter(({ mini }) => mini);
      // Written either way by people; the group of mathematics is called maths.
      const group = (name === 'math' ? 'maths' : name) as SuiteGroup;
      if (SUITE_GROUPS.includes(group)) return GRADED_SUITES.filter((suite) => suite.group === group);
      if (!GRADED_SUITES.some((suite) => suite.name === name)) {
        throw new Failure(
          'unknownSuite',
          `There is no suite "${name}"; name ${SUITE_SETS.join(', ')} or suites: ${GRADED_SUITES.map((entry) => entry.name).join(', ')}.`,
          2,
        );
      }
      return [gradedSuite(name)];
    }),
  );
  return GRADED_SUITES.filter((suite) => wanted.has(suite));
}

/** @throws Failure `unknownProtocol` (exit code 2) naming those the suite has. */
export function protocolOf(suite: AnyGradedSuite, name: string | null): SuiteProtocol {
  const found =
    name === null ? suite.protocols[0] : suite.protocols.find((protocol) => protocol.name === name);
  if (found === undefined)
    throw new Failure(
      'unknownProtocol',
      `The suite "${suite.name}" has no protocol "${name}"; it has ${suite.protocols.map((protocol) => protocol.name).join(', ')}.`,
      2,
    );
  return found;
}
