export { RunningProjector } from './running-projector';
