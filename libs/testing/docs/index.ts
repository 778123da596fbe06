export { GENERATED_PAGES, ROOT } from './generated-pages';
