export { importFiles, requireLibraryName } from './import-files.ts';
export { makePolicy, type MadePolicy, type PolicyRequest } from './make-policy.ts';
export { listLibrary, removeFromLibrary } from './listing.ts';
export { lookAt, verifyModel } from './look.ts';
