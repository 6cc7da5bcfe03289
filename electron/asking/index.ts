export { AskingService } from './asking-service.ts';
export { LoadedModels } from './loaded-models.ts';
export type { AskingServices } from './services.ts';
