export { importFiles, importGguf, requireLibraryName, type ConvertedModel } from './import-files.ts';
export { listLibrary, removeFromLibrary } from './listing.ts';
export { lookAt, verifyModel } from './look.ts';
