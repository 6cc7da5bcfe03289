import { datasets } from '../../evaluation/index.ts';

/** Manifests of folders need no lab: the machine a set comes from may have none. */
export const { checkFolder, writeFolderManifest } = datasets;
