import { readFileSync } from 'node:fs';
import { cpus, release, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { requireFile, type LabFolder, type ResourcePaths } from '../library/index.ts';

const listSchema = z.strictObject({
  application: z.string(),
  packages: z.array(
    z.strictObject({
      name: z.string(),
      version: z.string(),
      licence: z.string(),
      text: z.string().nullable(),
    }),
  ),
});
export type BundledPackage = z.infer<typeof listSchema>['packages'][number];

/** Of this program, as package.json has it. */
export const APP_VERSION = '0.1.0';

export type About = {
  application: string;
  node: string;
  electron: string | null;
  system: string;
  processor: string;
  threads: number;
  memoryBytes: number;
  labFolder: string;
  packages: BundledPackage[];
};

/** The list of packages is made when they change, by electron/cli/licence-list.ts. */
export const LICENCE_LIST = 'resources/licences.json';

/** What is installed here, and under which licences. @throws Failure `missingFile` when the list did not come with the application. */
export function about({ resources, lab }: { resources: ResourcePaths; lab: LabFolder }): About {
  const file = requireFile(
    join(resolve(resources.suites, '../..'), LICENCE_LIST),
    'The list of licences',
    'reinstall the application',
  );
  const { application, packages } = listSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return {
    application,
    packages,
    node: process.versions.node,
    electron: process.versions['electron'] ?? null,
    system: `${process.platform} ${release()} ${process.arch}`,
    processor: cpus()[0]?.model.trim() ?? process.arch,
    threads: cpus().length,
    memoryBytes: totalmem(),
    labFolder: lab.root,
  };
}
