export { hasLiteSvm } from './lite-svm';
export { SvmNode } from './svm-node';
