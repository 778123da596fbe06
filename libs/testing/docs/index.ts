export { GENERATED_FILES, ROOT } from './generated-files';
