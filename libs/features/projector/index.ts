export { PROJECTOR_GROUP } from '@fresnel/contracts/messages';
export { createProjectorMetrics, type ProjectorMetrics } from './projector.metrics';
export { ProjectorService } from './projector.service';
