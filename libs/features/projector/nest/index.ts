export { ProjectorModule, type ProjectorModuleOptions, ProjectorTask } from './projector.module';
