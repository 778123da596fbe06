export { createProjectorMetrics, type ProjectorMetrics } from './projector.metrics';
export { ProjectorService } from './projector.service';
