export { createProjectorMetrics, type ProjectorMetrics } from './projector.metrics';
export { PROJECTOR_GROUP, ProjectorService } from './projector.service';
