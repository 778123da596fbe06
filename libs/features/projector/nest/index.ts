export { PROJECTOR_TASK, ProjectorModule, type ProjectorModuleOptions } from './projector.module';
