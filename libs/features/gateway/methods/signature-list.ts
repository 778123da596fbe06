import { encodeSignatureCursor } from '@fresnel/contracts/rpc';
import { SIGNATURE_TEMPLATE } from '../present/signature.presenter';

/** What the paginated lists of signatures have in common. */
export const SIGNATURE_LIST = {
  template: SIGNATURE_TEMPLATE,
  encodeCursor: encodeSignatureCursor,
};
