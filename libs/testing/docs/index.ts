export { PROCESSES } from './configuration-page';
export { GENERATED_FILES, ROOT } from './generated-files';
