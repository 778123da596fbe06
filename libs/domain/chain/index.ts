export { blockKey, type BlockLink, type BlockRef, isChildOf, isSameBlock, parentOf } from './block-ref';
export { Branch } from './branch';
