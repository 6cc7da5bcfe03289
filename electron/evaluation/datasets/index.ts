/**
 * Test sets that a person imports: recognised, checked row by row, and kept as JSON Lines of our own below the lab folder.
 *
 * To import: lookForDatasets → (a person chooses and agrees) → openPath, findSets, writeSet, settle. To use: placeOf → rowsOf, or
 * harmBench, salad, hexPhi, copyrightHashes, labelledSet. To carry folders across an air gap: writeFolderManifest, checkFolder.
 */
export {
  copyrightHashes,
  harmBench,
  hexPhi,
  isPresent,
  labelledSet,
  placeOf,
  requireAcknowledged,
  rowsOf,
  salad,
  verifyDataset,
  type DatasetPlace,
} from './storage/sets.ts';
export { KINDS } from './kinds/registry.ts';
export { lookForDatasets, nothingFound, previewOf, findSets, type FoundSet } from './discovery.ts';
export { openPath } from './sources/open-path.ts';
export { settle, writeRows, writeSet, type WrittenSet } from './storage/sets.ts';
export { RowsRefused, type KnownTexts } from './storage/rows.ts';
export { checkFolder, MANIFEST_JSON, writeFolderManifest } from './folder-manifest.ts';
