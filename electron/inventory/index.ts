export { importFiles, requireLibraryName, verifyModel } from './import-files.ts';
export { listLibrary, removeFromLibrary } from './listing.ts';
export { lookAt } from './look.ts';
